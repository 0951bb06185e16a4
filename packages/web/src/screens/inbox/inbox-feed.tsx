import { type InboxItem, type QuarterdeckError, visibleText } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { ApprovalCard } from '../../components/asks/approval/approval-card.tsx'
import { QuestionCard } from '../../components/asks/question/question-card.tsx'
import { formatAge } from '../../components/format/format-time.ts'
import { ErrorCard } from '../../components/status/error-card.tsx'
import { sessionName } from '../../components/status/session-name.ts'
import type { AnalysisSummary } from '../../data/domain/data-services.ts'
import { useWaitingAnalyses } from '../../data/ui/use-waiting-analyses.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useNow } from '../../hooks/use-now.ts'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { changeKey, inboxKey } from '../../stores/server/inbox-store.ts'
import { AgentChangeCard } from './agent-change-card.tsx'
import { BudgetCard } from './budgets/budget-card.tsx'
import { InboxList } from './inbox-list.tsx'
import { InboxRow } from './inbox-row.tsx'

/** Open approvals, questions, stopped budgets and agent changes can be decided in place. Waiting analyses are links. */
export function InboxFeed() {
  const { inbox, client } = useWorkbench()
  const analyses = useWaitingAnalyses()
  const { items, changes, submissions } = useStore(inbox)
  const stopping = useAction()

  async function stop({ sessionId }: InboxItem): Promise<void> {
    await stopping.run(() => client.interrupt(sessionId))
    await inbox.refresh()
  }

  function renderOpen(item: InboxItem) {
    const shared = { title: <Title item={item} />, submission: submissions.get(inboxKey(item)) }
    switch (item.type) {
      case 'approval': {
        const { approval } = item
        return (
          <ApprovalCard
            {...shared}
            approval={approval}
            who={whoAsks(item.agentName, approval)}
            folder=""
            onDecide={(body) => void inbox.decide(approval.approvalId, body)}
            onStop={() => void stop(item)}
          />
        )
      }
      case 'question': {
        const { question } = item
        return (
          <QuestionCard
            {...shared}
            question={question}
            who={whoAsks(item.agentName, question)}
            onAnswer={(body) => void inbox.answer(question.questionId, body)}
          />
        )
      }
      case 'budget':
        return (
          <BudgetCard
            {...shared}
            stopped={item}
            onRaiseLimit={(limit) => void inbox.raiseLimit(item, limit)}
            onRaiseBudget={(budgetId, limit) => inbox.raiseBudget(item, budgetId, limit)}
          />
        )
    }
  }

  return (
    <>
      {stopping.failure !== null && !wasFaster(stopping.failure) && (
        <ErrorCard what="The session was not stopped" detail={stopping.failure.message} />
      )}
      {changes.map((change) => (
        <AgentChangeCard
          key={changeKey(change)}
          change={change}
          submission={submissions.get(changeKey(change))}
          onDecide={(decision) => void inbox.decideChange(change, decision)}
        />
      ))}
      <InboxList items={items ?? []} renderOpen={renderOpen} />
      {analyses.map((analysis) => (
        <WaitingAnalysis key={analysis.id} analysis={analysis} />
      ))}
    </>
  )
}

/** The session was already stopped or closed. The refreshed list shows that. */
const wasFaster = ({ code }: QuarterdeckError): boolean =>
  ['session.not-running', 'session.busy', 'session.closed'].includes(code)

const whoAsks = (agentName: string, { agent }: { readonly agent: readonly string[] | null }): string =>
  agent === null ? agentName : `${agentName} › subagent`

function Title({ item }: { readonly item: InboxItem }) {
  const { sessionId } = item
  return (
    <div className="row">
      <Link className="title ellipsis" to="/sessions/$sessionId" params={{ sessionId }}>
        {sessionName(item)}
      </Link>
      <span className="grow" />
      <Link className="link" to="/sessions/$sessionId" params={{ sessionId }}>
        Open session
      </Link>
    </div>
  )
}

/** An analysis that waits for the user. Its own page shows the rows and takes the decision. */
function WaitingAnalysis({ analysis }: { readonly analysis: AnalysisSummary }) {
  const now = useNow(5000)
  const isApproval = analysis.lastAsk === 'rows'
  const title = visibleText(analysis.title)
  const action = isApproval ? 'Review' : 'Answer'
  return (
    <InboxRow
      state={isApproval ? 'waiting_approval' : 'waiting_user'}
      title={title}
      who="Data"
      what={isApproval ? 'Wants to see rows of your files' : 'Asks you a question'}
      age={formatAge(analysis.changedAt, now)}
    >
      <Link
        className="btn s"
        to="/data/$analysisId"
        params={{ analysisId: analysis.id }}
        aria-label={`${action}: ${title}`}
      >
        {action}
      </Link>
    </InboxRow>
  )
}
