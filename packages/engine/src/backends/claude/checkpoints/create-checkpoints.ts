// Everything that a session stores about earlier states of its files.
import type { UserMessageId } from '@quarterdeck/protocol'
import type { FileRewind, ToolGate } from '../../backend.ts'
import type { ClaudeFolders } from '../cli/claude-folders.ts'
import { checkpointedFiles } from '../transcript/file-history.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import { createCheckpointNotes } from './checkpoint-notes.ts'
import { type RewindOrder, rewindFiles } from './rewind-files.ts'

export type Checkpoints = ReturnType<typeof createCheckpoints>

export function createCheckpoints({
  folders,
  cwd,
  hidden,
}: {
  readonly folders: ClaudeFolders
  readonly cwd: string
  /** The server's folders, which may be below the working directory. */
  readonly hidden: readonly string[]
}) {
  const notes = createCheckpointNotes({ folder: folders.root, cwd, hidden })

  return {
    /** Records a message that is about to be sent to the agent. */
    note: (messageId: UserMessageId) => void notes.note(messageId),
    /** Wraps the gate: a call waits until the state of the files has been recorded. */
    guard: (gate: ToolGate): ToolGate => ({
      async check(call) {
        await notes.before(call)
        return gate.check(call)
      },
      ask: gate.ask,
    }),
    /** Throws `rewind.unavailable`. */
    rewind(order: RewindOrder, backendSessionId: string | null): Promise<FileRewind> {
      const checkpointed = async () => {
        const transcript = backendSessionId === null ? null : await openTranscript(folders.config, backendSessionId)
        return checkpointedFiles(transcript?.lines ?? [], cwd)
      }
      return rewindFiles({ ...order, notes, cwd, hidden, checkpointed })
    },
  }
}
