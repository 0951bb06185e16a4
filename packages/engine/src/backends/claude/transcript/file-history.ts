// The file backups that a transcript mentions: which files have one, and where it is stored.
import { relative, resolve } from 'node:path'
import { z } from 'zod'
import { isFileHistory, type TranscriptLine } from './transcript-line.ts'

const Backup = z.looseObject({ backupFileName: z.string().nullish() })

const FileHistory = z.object({
  trackingPath: z.string().optional(),
  backup: Backup.optional(),
  snapshot: z.looseObject({ trackedFileBackups: z.record(z.string(), Backup) }).optional(),
})

/** The names of the backup files. */
export function backupsOf(lines: readonly TranscriptLine[]): ReadonlySet<string> {
  const names = historyOf(lines)
    .flatMap(({ backup, snapshot }) => [backup, ...Object.values(snapshot?.trackedFileBackups ?? {})])
    .map((one) => one?.backupFileName)
  return new Set(names.filter((name) => typeof name === 'string').filter((name) => /^[0-9a-f]+@v\d+$/.test(name)))
}

/** The files that have a backup, relative to the working directory. */
export function checkpointedFiles(lines: readonly TranscriptLine[], cwd: string): ReadonlySet<string> {
  const paths = historyOf(lines).flatMap(({ trackingPath, snapshot }) => [
    ...(trackingPath === undefined ? [] : [trackingPath]),
    ...Object.keys(snapshot?.trackedFileBackups ?? {}),
  ])
  return new Set(paths.map((path) => relative(cwd, resolve(cwd, path))))
}

function historyOf(lines: readonly TranscriptLine[]): readonly z.infer<typeof FileHistory>[] {
  return lines.filter(isFileHistory).flatMap((line) => {
    const parsed = FileHistory.safeParse(line)
    return parsed.success ? [parsed.data] : []
  })
}
