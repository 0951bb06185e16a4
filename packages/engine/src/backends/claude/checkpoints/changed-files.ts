// What was changed since a manifest was taken and no checkpoint covers, each with a reason a person understands.
import type { FileRewind } from '../../backend.ts'
import { type FolderManifest, maxFiles } from './folder-manifest.ts'

type NotRestored = FileRewind['notRestored'][number]

export function changedFiles(
  before: FolderManifest,
  now: FolderManifest,
  known: {
    /** Paths whose states the CLI keeps: it restores them whoever changed them. */
    readonly checkpointed: ReadonlySet<string>
    readonly isTracked: (path: string) => boolean
  },
): readonly NotRestored[] {
  // A copy of a folder has other times than the folder it was copied from.
  const isSame = (then: string, later: string) =>
    before.cwd === now.cwd ? then === later : then.split(' ')[0] === later.split(' ')[0]
  const reasonOf = (path: string): string =>
    known.isTracked(path)
      ? 'changed by a command; git has an older version'
      : 'changed by a command, which checkpoints do not cover'

  const changed = before.isTooLarge || now.isTooLarge ? [] : different(before.files, now.files, isSame)
  const folders = before.cwd === now.cwd ? different(before.skipped, now.skipped, isSame) : []
  return [
    ...(before.isTooLarge || now.isTooLarge ? [tooLarge] : []),
    ...changed.filter((path) => !known.checkpointed.has(path)).map((path) => ({ path, reason: reasonOf(path) })),
    ...folders.map((path) => ({ path, reason: 'changed by a command; this folder is not looked into' })),
  ]
}

/** Which files commands have changed since is not known. */
export const unknownChanges: NotRestored = {
  path: '.',
  reason: 'too long ago: which files commands have changed since is not known',
}

const tooLarge: NotRestored = {
  path: '.',
  reason: `more than ${maxFiles} files: which of them commands have changed is not known`,
}

function different(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
  isSame: (then: string, later: string) => boolean,
): readonly string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...paths]
    .filter((path) => {
      const [then, later] = [before[path], now[path]]
      return then === undefined || later === undefined || !isSame(then, later)
    })
    .sort()
}
