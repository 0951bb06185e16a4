import type {
  ChangeSessionBody,
  PermissionRule,
  QuarterdeckError,
  SessionId,
  SessionState,
} from '@quarterdeck/protocol'
import { useNavigate } from '@tanstack/react-router'
import { conversationMarkdown, logLines } from '../state/export-session.ts'
import { downloadFile } from '../ui/download-file.ts'
import { useAction } from './use-action.ts'
import { useWorkbench } from './use-workbench.ts'

export interface SessionActs {
  readonly failure: QuarterdeckError | null
  readonly isBusy: boolean
  interrupt(): void
  pause(): void
  resume(): void
  close(): void
  cancel(): void
  /** Resolves to true when it was done. */
  change(body: ChangeSessionBody): Promise<boolean>
  revoke(rule: PermissionRule): void
  /** Without `at`, everything there is. Goes to the new session. */
  fork(body?: { readonly at?: number; readonly message?: string }): Promise<boolean>
  /** Goes to the list. */
  remove(): Promise<boolean>
  exportLog(): void
  exportMarkdown(): void
}

/** Everything a person can do with a session as a whole, one thing at a time, with its failure beside it. */
export function useSessionActs(session: SessionState): SessionActs {
  const { client } = useWorkbench()
  const navigate = useNavigate()
  const { run, failure, isBusy } = useAction()
  const { sessionId } = session
  const show = (to: SessionId) => navigate({ to: '/sessions/$sessionId', params: { sessionId: to } })
  return {
    failure,
    isBusy,
    interrupt: () => void run(() => client.interrupt(sessionId)),
    pause: () => void run(() => client.pause(sessionId)),
    resume: () => void run(() => client.resume(sessionId)),
    close: () => void run(() => client.close(sessionId)),
    cancel: () => void run(() => client.cancel(sessionId)),
    change: (body) => run(() => client.changeSession(sessionId, body)),
    revoke: (rule) => void run(() => client.revokeRule(sessionId, rule)),
    fork: (body = {}) => run(async () => show((await client.fork(sessionId, body)).sessionId)),
    remove: () =>
      run(async () => {
        await client.deleteSession(sessionId)
        await navigate({ to: '/sessions' })
      }),
    exportLog: () =>
      void run(async () =>
        downloadFile(`${sessionId}.jsonl`, await logLines(client, sessionId), 'application/x-ndjson'),
      ),
    exportMarkdown: () =>
      void run(async () => {
        const history = await client.history(sessionId)
        downloadFile(`${sessionId}.md`, [conversationMarkdown(session, history)], 'text/markdown')
      }),
  }
}
