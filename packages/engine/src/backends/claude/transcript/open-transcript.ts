import { join } from 'node:path'
import { z } from 'zod'
import { folderNoFollow, listNoFollow, openFileNoFollow } from '../cli/no-follow-files.ts'
import { readTranscript, type TranscriptLine } from './transcript-line.ts'

export interface CliTranscript {
  /** The folder that contains the transcript. */
  readonly project: string
  readonly lines: readonly TranscriptLine[]
}

const maxBytes = 512 * 1024 * 1024

/** `null` if it does not exist or is not a readable transcript. */
export async function openTranscript(config: string, id: string): Promise<CliTranscript | null> {
  const project = z.uuid().safeParse(id).success ? projectOf(config, id) : null
  const file = project === null ? null : await openFileNoFollow(join(project, `${id}.jsonl`), maxBytes)
  if (project === null || file === null) return null
  try {
    return { project, lines: await readTranscript(file) }
  } finally {
    await file.close()
  }
}

/** The folder is named after the working directory, which may have been a different one. */
function projectOf(config: string, id: string): string | null {
  const projects = folderNoFollow(config, ['projects'])
  if (projects === null) return null
  const found = listNoFollow(projects).find(
    ({ name, isFolder }) =>
      isFolder && listNoFollow(join(projects, name)).some((file) => !file.isFolder && file.name === `${id}.jsonl`),
  )
  return found === undefined ? null : join(projects, found.name)
}
