import type { ChangeSessionBody, PermissionRule, SessionId, SessionState } from '@quarterdeck/protocol'
import { useNavigate } from '@tanstack/react-router'
import { downloadFile } from '../../../components/controls/download-file.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { conversationMarkdown, logLines } from '../../../stores/session/export-session.ts'

export type SessionActions = ReturnType<typeof useSessionActions>

/**
 * The actions on a whole session. Stopping never waits for another action, and exports and forks, which can take long,
 * block nothing. Each use of the hook has its own failures, so a dialog shows only its own.
 */
export function useSessionActions(session: SessionState) {
  const { client } = useWorkbench()
  const navigate = useNavigate()
  const { run, ...change } = useAction()
  const stop = useAction()
  const end = useAction()
  const fork = useAction()
  const file = useAction()
  const { sessionId } = session
  const show = (to: SessionId) => navigate({ to: '/sessions/$sessionId', params: { sessionId: to } })
  return {
    /** The last failure of each kind of action. */
    failures: [stop, end, change, fork, file].flatMap(({ failure }) => failure ?? []),
    /** True while an action other than a stop or an export runs. */
    isBusy: change.isBusy || end.isBusy || fork.isBusy,
    /** True until the server has answered the request to stop the turn. */
    isStopping: stop.isBusy,
    interrupt: () => void stop.run(() => client.interrupt(sessionId)),
    pause: () => void run(() => client.pause(sessionId)),
    resume: () => void run(() => client.resume(sessionId)),
    close: () => void end.run(() => client.close(sessionId)),
    cancel: () => void end.run(() => client.cancel(sessionId)),
    /** Resolves to true on success. */
    change: (body: ChangeSessionBody) => run(() => client.changeSession(sessionId, body)),
    revoke: (rule: PermissionRule) => void run(() => client.revokeRule(sessionId, rule)),
    /** Opens the new session. Without `at`, the fork has all events. */
    fork: (body: { readonly at?: number; readonly message?: string } = {}) =>
      fork.run(async () => show((await client.fork(sessionId, body)).sessionId)),
    /** Opens the list of sessions. */
    remove: () =>
      end.run(async () => {
        await client.deleteSession(sessionId)
        await navigate({ to: '/sessions' })
      }),
    exportLog: () =>
      void file.run(async (signal) =>
        downloadFile(`${sessionId}.jsonl`, await logLines(client, sessionId, { signal }), 'application/x-ndjson'),
      ),
    exportMarkdown: () =>
      void file.run(async (signal) => {
        const history = await client.history(sessionId, { signal })
        downloadFile(`${sessionId}.md`, [conversationMarkdown(session, history)], 'text/markdown')
      }),
  }
}
