import { isBusyStatus, isClosedStatus, type SessionId } from '@quarterdeck/protocol'
import { Link, useNavigate } from '@tanstack/react-router'
import { AppShell } from '../../app/shell/app-shell.tsx'
import { formatAge } from '../../components/format/format-time.ts'
import { NextSteps } from '../../components/next-steps/next-steps.tsx'
import { SessionRows } from '../../components/session-rows/session-rows.tsx'
import { ErrorCard } from '../../components/status/error-card.tsx'
import { Loading } from '../../components/status/loading.tsx'
import { useWaitingAnalyses } from '../../data/ui/use-waiting-analyses.ts'
import { useNow } from '../../hooks/use-now.ts'
import { usePageTitle } from '../../hooks/use-page-title.ts'
import { useStore } from '../../hooks/use-store.ts'
import { useWorkbench } from '../../hooks/use-workbench.ts'
import { offeredAgents } from '../../stores/server/offered-agents.ts'
import { InboxFeed } from './inbox-feed.tsx'
import { DataCard } from './start-cards/data-card.tsx'
import { StartCards } from './start-cards/start-cards.tsx'

const shownRecent = 6

export function InboxPage() {
  const { inbox, server, recent, origin } = useWorkbench()
  const { items, changes, failure: inboxFailure } = useStore(inbox)
  const { info, agents: listed, failure: serverFailure } = useStore(server)
  const agents = listed === null ? null : offeredAgents(listed)
  const { sessions } = useStore(recent)
  const navigate = useNavigate()
  const waiting = (items?.length ?? 0) + changes.length + useWaitingAnalyses().length
  usePageTitle('Inbox', waiting)
  const open = (sessionId: SessionId) => void navigate({ to: '/sessions/$sessionId', params: { sessionId } })
  const agent = agents?.find(({ problems }) => problems.length === 0) ?? null
  const latest = sessions?.find(({ agentName, status }) => agentName === agent?.name && !isClosedStatus(status))
  const failure = serverFailure ?? inboxFailure
  const isWaitingForServer = agents === null || items === null
  return (
    <AppShell rail="full" crumbs={<b>Inbox</b>}>
      <main className="inbox" id="content" tabIndex={-1}>
        <section className="feed scroll" aria-label="Needs you">
          <div className="page-head">
            <div className="grow">
              <h1>Needs you</h1>
              <WaitingSummary running={sessions?.filter(({ status }) => isBusyStatus(status)).length ?? 0} />
            </div>
          </div>
          {failure !== null && isWaitingForServer && (
            <ErrorCard what="The server is not responding" detail={failure.message} saved="all data on the server." />
          )}
          {failure === null && isWaitingForServer && <Loading what="Contacting the server" />}
          <InboxFeed />
          {agents !== null && (
            <>
              <h2 className="group">Ask your data</h2>
              <DataCard />
              <h2 className="group">Start an agent</h2>
              <StartCards agents={agents} hasPrimary={waiting === 0} onStarted={open} />
            </>
          )}
          {sessions !== null && sessions.length > 0 && (
            <>
              <div className="group">
                <h2 className="grow">Recent sessions</h2>
                <Link className="link" to="/sessions">
                  All sessions
                </Link>
              </div>
              <SessionRows sessions={sessions.slice(0, shownRecent)} />
            </>
          )}
        </section>
        <aside className="side scroll" aria-label="Next steps">
          <h2>Next steps</h2>
          {info !== null && (
            <NextSteps
              usesSimulator={info.usesSimulator}
              agent={agent}
              sample={{
                origin,
                dataFolder: info.dataFolder,
                agentName: agent?.name ?? 'helper',
                sessionId: latest?.sessionId ?? null,
              }}
            />
          )}
          <NotYet />
        </aside>
      </main>
    </AppShell>
  )
}

function WaitingSummary({ running }: { readonly running: number }) {
  const { items, changes } = useStore(useWorkbench().inbox)
  const analyses = useWaitingAnalyses()
  const now = useNow(5000)
  if (items === null) return null
  const times = [...items, ...changes].map(({ at }) => at)
  times.push(...analyses.map(({ changedAt }) => changedAt))
  times.sort()
  const [oldest] = times
  if (oldest === undefined) {
    const others = running === 0 ? '' : ` ${running} ${running === 1 ? 'session is' : 'sessions are'} running.`
    return <p>Nothing needs your attention.{others}</p>
  }
  const age = formatAge(oldest, now)
  return (
    <p>
      {times.length} waiting, the oldest {age === 'now' ? 'for a few seconds' : `for ${age}`}.
    </p>
  )
}

const later = [
  ['Chat', 'talk to a model without an agent file. Until then, use “Write your own” on an agent or the chat command.'],
  ['Tests', 'suites of cases that test your agents.'],
  ['Costs', 'spending per day, and budgets. Each session shows its own costs; the costs command shows all of them.'],
  ['Audit', 'a tamper-evident record of who did what. The audit command can already check and export it.'],
] as const

/** Planned pages are listed here once, instead of links that lead nowhere. */
function NotYet() {
  return (
    <section aria-labelledby="not-yet">
      <h2 id="not-yet">Not available yet</h2>
      <ul className="later">
        {later.map(([name, description]) => (
          <li key={name}>
            <b>{name}</b>: {description}
          </li>
        ))}
      </ul>
    </section>
  )
}
