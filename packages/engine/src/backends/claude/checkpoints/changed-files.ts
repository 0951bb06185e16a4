// Changes since a manifest that no checkpoint covers, each with a reason to show to users.
import type { FileRewind } from '../../backend.ts'
import { type FolderManifest, maxFiles } from './folder-manifest.ts'

type NotRestored = FileRewind['notRestored'][number]

export function changedFiles(
  before: FolderManifest,
  now: FolderManifest,
  known: {
    /** Paths with a checkpoint of the CLI, which restores them whatever changed them. */
    readonly checkpointed: ReadonlySet<string>
    readonly isTracked: (path: string) => boolean
  },
): readonly NotRestored[] {
  // Copying a folder changes file times.
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
    ...folders.map((path) => ({ path, reason: 'changed by a command; the files in this folder are not tracked' })),
  ]
}

export const unknownChanges: NotRestored = {
  path: '.',
  reason: 'too long ago: the changes made by commands since then are not known',
}

const tooLarge: NotRestored = {
  path: '.',
  reason: `more than ${maxFiles} files: the changes made by commands are not known`,
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
