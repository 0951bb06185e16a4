// Everything that a session stores about earlier states of its files.
import type { UserMessageId } from '@quarterdeck/protocol'
import type { FileRewind, ToolGate } from '../../backend.ts'
import type { ClaudeFolders } from '../cli/claude-folders.ts'
import type { ClaudeProcess } from '../cli/claude-process.ts'
import { checkpointedFiles } from '../transcript/file-history.ts'
import { openTranscript } from '../transcript/open-transcript.ts'
import { createCheckpointNotes } from './checkpoint-notes.ts'
import { rewindFiles } from './rewind-files.ts'

export interface Checkpoints {
  /** Records a message that is about to be sent to the agent. */
  note(messageId: UserMessageId): void
  /** Wraps the gate: a call waits until the state of the files has been recorded. */
  guard(gate: ToolGate): ToolGate
  /** Throws `rewind.unavailable`. */
  rewind(order: {
    readonly process: ClaudeProcess
    readonly backendSessionId: string | null
    readonly messageId: UserMessageId
    readonly dryRun: boolean
  }): Promise<FileRewind>
}

export function createCheckpoints(options: {
  readonly folders: ClaudeFolders
  readonly cwd: string
  /** The server's folders, which may be below the working directory. */
  readonly hidden: readonly string[]
}): Checkpoints {
  const { folders, cwd, hidden } = options
  const notes = createCheckpointNotes({ folder: folders.root, cwd, hidden })

  return {
    note: (messageId) => void notes.note(messageId),
    guard: (gate) => ({
      async check(call) {
        await notes.before(call)
        return gate.check(call)
      },
      ask: gate.ask,
    }),
    rewind({ process, backendSessionId, messageId, dryRun }) {
      const checkpointed = async () => {
        const transcript = backendSessionId === null ? null : await openTranscript(folders.config, backendSessionId)
        return checkpointedFiles(transcript?.lines ?? [], cwd)
      }
      return rewindFiles({ process, messageId, dryRun, notes, cwd, hidden, checkpointed })
    },
  }
}
