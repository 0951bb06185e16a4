import {
  formatCount,
  formatRule,
  isClosedStatus,
  type PermissionRule,
  type SessionState,
  visibleText,
} from '@quarterdeck/protocol'
import { Button } from '../../../components/controls/button.tsx'
import { CopyButton } from '../../../components/controls/copy-button.tsx'
import { formatMoment } from '../../../components/format/format-time.ts'
import { sessionModel } from '../../../components/status/session-model.ts'
import { useNow } from '../../../hooks/use-now.ts'

interface DetailsBlockProps {
  readonly session: SessionState
  readonly onRevoke: (rule: PermissionRule) => void
}

export function DetailsBlock({ session, onRevoke }: DetailsBlockProps) {
  const now = useNow(60_000)
  return (
    <section className="block" aria-label="Details">
      <dl className="facts-grid">
        <dt>Agent</dt>
        <dd>{session.agentName}</dd>
        <dt>Model</dt>
        <dd>{sessionModel(session)}</dd>
        {session.thinking !== null && <dt>Thinking</dt>}
        {session.thinking !== null && <dd>up to {formatCount(session.thinking.budgetTokens)} tokens</dd>}
        {session.tags.length > 0 && <dt>Tags</dt>}
        {session.tags.length > 0 && (
          <dd className="row tags">
            {session.tags.map((tag) => (
              <span className="chip" key={tag}>
                {visibleText(tag)}
              </span>
            ))}
          </dd>
        )}
        {session.clients.length > 0 && <dt>Clients</dt>}
        {session.clients.length > 0 && (
          <dd>{session.clients.map(({ clientId }) => visibleText(clientId)).join(', ')}</dd>
        )}
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
            <Rules session={session} onRevoke={onRevoke} />
          </dd>
        )}
        <dt>Session</dt>
        <dd className="row">
          <code className="ellipsis">{session.sessionId}</code>
          <CopyButton text={session.sessionId} label="Copy session id" />
        </dd>
      </dl>
    </section>
  )
}

/** The rules added by “allow for this session”. Each can be revoked. */
function Rules({ session, onRevoke }: DetailsBlockProps) {
  return session.rules.map((rule) => {
    const ruleText = visibleText(formatRule(rule))
    return (
      <div className="row rule" key={ruleText}>
        <code className="grow">{ruleText}</code>
        {!isClosedStatus(session.status) && (
          <Button variant={['s', 'quiet']} aria-label={`Revoke ${ruleText}`} onClick={() => onRevoke(rule)}>
            Revoke
          </Button>
        )}
      </div>
    )
  })
}
