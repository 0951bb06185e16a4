import { formatRule, modelLabel, type SessionState } from '@quarterdeck/protocol'
import { useNow } from '../../hooks/use-now.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatMoment } from '../../ui/format-time.ts'

export function DetailsBlock({ session }: { readonly session: SessionState }) {
  const now = useNow(60_000)
  return (
    <section className="block" aria-label="Details">
      <dl className="facts-grid">
        <dt>Agent</dt>
        <dd>{session.agentName}</dd>
        <dt>Model</dt>
        <dd>{modelLabel(session)}</dd>
        <dt>Folder</dt>
        <dd>
          <code>{session.cwd}</code>
        </dd>
        <dt>Started</dt>
        <dd>
          {formatMoment(session.createdAt, now)} by {session.owner}
        </dd>
        {session.rules.length > 0 && <dt>Allowed here</dt>}
        {session.rules.length > 0 && (
          <dd>
            {session.rules.map((rule) => (
              <div key={formatRule(rule)}>
                <code>{formatRule(rule)}</code>
              </div>
            ))}
          </dd>
        )}
        <dt>Session</dt>
        <dd className="row">
          <code className="cut">{session.sessionId}</code>
          <CopyButton text={session.sessionId} label="Copy session id" />
        </dd>
      </dl>
    </section>
  )
}
