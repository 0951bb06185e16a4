// Copies the start of a conversation: the lines up to a point under a new id, with the file backups and subagents they
// refer to.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { BranchPoint } from '../../backend.ts'
import {
  folderNoFollow,
  listNoFollow,
  makeFolderNoFollow,
  readFileNoFollow,
  writeNewFile,
} from '../cli/no-follow-files.ts'
import { cutTranscript, isConversation } from './cut-transcript.ts'
import { backupsOf } from './file-history.ts'
import { openTranscript } from './open-transcript.ts'
import { isFileHistory, type TranscriptLine } from './transcript-line.ts'

export interface TranscriptBranch {
  /** Configuration folders of the CLI, for the original and for the branch. */
  readonly from: string
  readonly to: string
  readonly cwd: string
  readonly backendSessionId: string
  readonly at: BranchPoint
}

const maxFileBytes = 64 * 1024 * 1024

/** Returns the id of the branch; `null` if the point is before the first message. Throws `rewind.unavailable`. */
export async function branchTranscript({
  from,
  to,
  cwd,
  backendSessionId,
  at,
}: TranscriptBranch): Promise<string | null> {
  const transcript = await openTranscript(from, backendSessionId)
  if (transcript === null) throw unavailable('its transcript no longer exists')
  const { project, lines } = transcript
  const branchLines = cutTranscript(lines, at)
  if (branchLines === null) throw unavailable('the conversation no longer has this message')
  if (!isConversation(branchLines)) return null

  const id = randomUUID()
  const moved = moveLines(branchLines, { id, cwd })
  const target = makeFolderNoFollow(to, ['projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-').slice(0, 200)])
  if (target === null) throw unavailable('a link is in the way of the transcript folder')
  await copyBackups({ from, to, names: backupsOf(branchLines), fromId: backendSessionId, toId: id })
  await copySubagents(project, target, { fromId: backendSessionId, toId: id, text: moved })
  await writeNewFile(join(target, `${id}.jsonl`), moved)
  return id
}

const unavailable = (why: string) =>
  new QuarterdeckError('rewind.unavailable', `cannot branch the conversation: ${why}`)

function moveLines(
  lines: readonly TranscriptLine[],
  { id, cwd }: { readonly id: string; readonly cwd: string },
): string {
  const before = lines.find((line) => line.cwd !== undefined)?.cwd ?? cwd
  const moved = lines.map((line) => ({
    ...(isFileHistory(line) ? movePaths(line, before, cwd) : line),
    ...('sessionId' in line && { sessionId: id }),
    ...(line.cwd === before && { cwd }),
  }))
  return `${moved.map((line) => JSON.stringify(line)).join('\n')}\n`
}

/** File backups refer to the working directory. Text that mentions it stays unchanged. */
function movePaths(line: TranscriptLine, before: string, after: string): TranscriptLine {
  const move = (_key: string, value: unknown): unknown =>
    typeof value === 'string' && (value === before || value.startsWith(`${before}/`))
      ? after + value.slice(before.length)
      : value
  return JSON.parse(JSON.stringify(line, move))
}

async function copyBackups(copy: {
  readonly from: string
  readonly to: string
  readonly names: ReadonlySet<string>
  readonly fromId: string
  readonly toId: string
}): Promise<void> {
  const source = folderNoFollow(copy.from, ['file-history', copy.fromId])
  if (source === null || copy.names.size === 0) return
  const target = makeFolderNoFollow(copy.to, ['file-history', copy.toId])
  if (target === null) throw unavailable('a link is in the way of the backup folder')
  for (const name of copy.names) {
    // A backup that cannot be copied is not restored, and the rewind reports that.
    const content = await readFileNoFollow(join(source, name), maxFileBytes)
    if (content !== null) await writeNewFile(join(target, name), content)
  }
}

/** Copies the subagents whose ids the branch contains, so that it can message them again. */
async function copySubagents(
  project: string,
  target: string,
  branch: { readonly fromId: string; readonly toId: string; readonly text: string },
): Promise<void> {
  const source = folderNoFollow(project, [branch.fromId, 'subagents'])
  const names = listNoFollow(source ?? '').flatMap(({ name, isFolder }) => {
    const agentId = /^agent-([0-9a-z]+)\.(?:jsonl|meta\.json)$/.exec(name)?.[1]
    return !isFolder && agentId !== undefined && branch.text.includes(agentId) ? [name] : []
  })
  if (source === null || names.length === 0) return
  const folder = makeFolderNoFollow(target, [branch.toId, 'subagents'])
  if (folder === null) throw unavailable('a link is in the way of the transcript folder')
  for (const name of names) {
    const content = await readFileNoFollow(join(source, name), maxFileBytes)
    if (content !== null) {
      await writeNewFile(join(folder, name), content.toString('utf8').replaceAll(branch.fromId, branch.toId))
    }
  }
}
