import type { AgentSummary } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { Bot, Play } from 'lucide-react'
import { Button } from '../../../components/controls/button.tsx'
import { modeLabels } from '../../../components/status/mode-labels.ts'
import { sessionModel } from '../../../components/status/session-model.ts'
import { StateLabel } from '../../../components/status/state-label.tsx'
import { isDataAgent } from '../../../stores/server/data-agent.ts'

interface StartCardProps {
  readonly agent: AgentSummary
  /** Whether this card has the only primary button of the page. */
  readonly isFirst: boolean
  readonly disabled: boolean
  readonly onStart: (message?: string) => void
  /** The user hovers, focuses or presses the card: the server may start a process ahead. */
  readonly onIntent: () => void
}

export function StartCard({ agent, isFirst, disabled, onStart, onIntent }: StartCardProps) {
  const isBroken = agent.problems.length > 0
  const intent = isBroken ? {} : { onPointerEnter: onIntent, onPointerDown: onIntent, onFocus: onIntent }
  return (
    <section className={isBroken ? 'start broken' : 'start'} data-agent={agent.name} {...intent}>
      <div className="start-head">
        <Bot className="icon" aria-hidden="true" />
        <div className="grow">
          <div className="row">
            <h3>{agent.name}</h3>
            {isBroken && <StateLabel state="failed" label="This file cannot be loaded" />}
          </div>
          {agent.description !== null && <p>{agent.description}</p>}
          <div className="facts caption">
            {agent.model !== null && <span>{sessionModel({ ...agent, model: agent.model, lastModel: null })}</span>}
            {agent.permissionMode !== null && <span>{modeLabels[agent.permissionMode]}</span>}
            <code>{agent.file}</code>
          </div>
        </div>
        {!isBroken &&
          (isDataAgent(agent) ? (
            <Link className="btn s quiet" to="/data">
              Ask it in Data
            </Link>
          ) : (
            <Button variant={['s', 'quiet']} disabled={disabled} onClick={() => onStart()}>
              Write your own
            </Button>
          ))}
      </div>
      {isBroken ? (
        <ul className="problems">
          {agent.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      ) : (
        <Starters agent={agent} isFirst={isFirst} disabled={disabled} onStart={onStart} />
      )}
    </section>
  )
}

function Starters({ agent, isFirst, disabled, onStart }: Omit<StartCardProps, 'onIntent'>) {
  return (
    <ul>
      {agent.starters.map((starter, index) => (
        <li key={starter}>
          <span className="grow">{starter}</span>
          <Button
            variant={isFirst && index === 0 ? ['s', 'primary'] : ['s']}
            disabled={disabled}
            aria-label={`Start ${agent.name}: ${starter}`}
            onClick={() => onStart(starter)}
          >
            <Play className="icon s" aria-hidden="true" />
            Start
          </Button>
        </li>
      ))}
    </ul>
  )
}
