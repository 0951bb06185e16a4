import type { AgentSummary, QuarterdeckError, SessionId } from '@quarterdeck/protocol'
import { useState } from 'react'
import { CodeSample } from '../../../components/controls/code-sample.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { useAction } from '../../../hooks/use-action.ts'
import { useWorkbench } from '../../../hooks/use-workbench.ts'
import { createOutbox } from '../../../stores/session/outbox.ts'
import { StartCard } from './start-card.tsx'

interface StartCardsProps {
  readonly agents: readonly AgentSummary[]
  /** False while an item needs a decision: then that item is the main action of the page. */
  readonly hasPrimary: boolean
  readonly onStarted: (sessionId: SessionId) => void
}

export function StartCards({ agents, hasPrimary, onStarted }: StartCardsProps) {
  const { client, agentWarmer } = useWorkbench()
  const [outbox] = useState(() => createOutbox(client))
  const start = useAction()
  const primaryAgent = hasPrimary
    ? agents.find((agent) => agent.problems.length === 0 && agent.starters.length > 0)
    : undefined

  const onStart = (agent: AgentSummary) => (message?: string) =>
    void start.run(async () => {
      const body = { agent: agent.name, ...(message === undefined ? {} : { message }) }
      onStarted((await outbox.startSession(body)).sessionId)
    })

  if (agents.length === 0) return <NoAgents />
  return (
    <>
      {start.failure !== null && <NotStarted failure={start.failure} />}
      {agents.map((agent) => (
        <StartCard
          key={agent.file}
          agent={agent}
          isFirst={agent === primaryAgent}
          disabled={start.isBusy}
          onStart={onStart(agent)}
          onIntent={() => agentWarmer.warm(agent.name)}
        />
      ))}
    </>
  )
}

/** Without a response, it is unknown whether the session started. */
function NotStarted({ failure }: { readonly failure: QuarterdeckError }) {
  if (failure.code !== 'server.unreachable') {
    return <ErrorCard what="The session did not start" detail={failure.message} />
  }
  return (
    <ErrorCard
      what="No response"
      detail="The session may have started. Starting it again is safe: it cannot create a second session."
    />
  )
}

function NoAgents() {
  return (
    <div className="empty">
      <h2>No agents here yet</h2>
      <p>An agent is one YAML file with a name, a model, instructions and permissions. Save this as ./agent.yaml.</p>
      <CodeSample
        label="a first agent"
        code={'name: helper\nmodel:\n  provider: anthropic\n  name: high\ninstructions:\n  inline: You answer briefly.'}
      />
      <p>The agent appears here automatically if the server serves that folder.</p>
    </div>
  )
}
