import { formatDuration, messageOf, visibleText } from '@quarterdeck/protocol'
import { History, Play, ShieldCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Menu } from '../../../components/controls/menu.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { StateLabel } from '../../../components/status/state-label.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { useStore } from '../../../hooks/use-store.ts'
import type { DataServices } from '../../domain/data-services.ts'
import { EngineError, type EngineProblem, type ReadResult } from '../../domain/query-engine.ts'
import { exportCsv } from '../../export/export-csv.ts'
import { readDraft, saveDraft } from '../../storage/analysis-drafts.ts'
import { CodeField } from '../controls/code-field.tsx'
import { type RanQuery, readHistory, saveQuery } from './sql-history.ts'
import { SqlResult } from './sql-result.tsx'

type Outcome =
  | { readonly status: 'none' }
  | { readonly status: 'running'; readonly since: number }
  | { readonly status: 'done'; readonly result: ReadResult }
  | { readonly status: 'failed'; readonly error: unknown }

/** SQL of the user: everything can be read, nothing is sent. */
export function SqlConsole({ services, analysisId }: { readonly services: DataServices; readonly analysisId: string }) {
  const { tables, listed, missing } = useStore(services.tables)
  const [draft, setDraft] = useState(() => readDraft(analysisId, 'sql'))
  useEffect(() => saveDraft(analysisId, draft, 'sql'), [analysisId, draft])
  const [outcome, setOutcome] = useState<Outcome>({ status: 'none' })
  const [history, setHistory] = useState(readHistory)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  async function run(): Promise<void> {
    const sql = draft.trim()
    if (sql === '' || running.current !== null) return
    const stopping = new AbortController()
    running.current = stopping
    setOutcome({ status: 'running', since: Date.now() })
    setHistory(saveQuery(sql, new Date().toISOString()))
    try {
      setOutcome({ status: 'done', result: await services.query(sql, stopping.signal) })
    } catch (error) {
      setOutcome({ status: 'failed', error })
    } finally {
      running.current = null
    }
  }

  const isRunning = outcome.status === 'running'
  return (
    <section className="console scroll" aria-label="SQL console">
      <h2 className="visually-hidden">SQL</h2>
      <p className="row text-2">
        <ShieldCheck className="icon s success" aria-hidden="true" />
        Your own SQL runs in this browser and never leaves it: neither the query nor its rows.
      </p>
      <div className="editor">
        <CodeField
          label="Your SQL"
          language="sql"
          value={draft}
          onChange={setDraft}
          onRun={() => void run()}
          placeholder={`SELECT * FROM ${tables?.[0]?.name ?? 'a_table'} LIMIT 100`}
        />
      </div>
      <div className="row">
        <Button variant={['s', 'primary']} disabled={isRunning || draft.trim() === ''} onClick={() => void run()}>
          <Play className="icon s" aria-hidden="true" />
          Run <kbd className="wide-only">Ctrl ↵</kbd>
        </Button>
        {isRunning && (
          <Button variant={['s', 'danger']} onClick={() => running.current?.abort()}>
            Cancel
          </Button>
        )}
        <SqlHistory history={history} onChoose={setDraft} />
        <span className="grow" />
        {isRunning && <Elapsed since={outcome.since} />}
      </div>
      {outcome.status === 'failed' && <Failed error={outcome.error} />}
      {outcome.status === 'done' && (
        <SqlResult
          result={outcome.result}
          taken={[...(listed ?? []), ...missing].map(({ name }) => name)}
          onUseAsTable={(name) => addAsTable(services, outcome.result, name)}
          onExport={() => exportCsv(outcome.result, 'query')}
        />
      )}
    </section>
  )
}

function Elapsed({ since }: { readonly since: number }) {
  const now = useNow(200)
  return (
    <span className="row num muted" role="status">
      <StateLabel state="running" />
      <span aria-hidden="true">{formatDuration(Math.max(0, now - since))}</span>
    </span>
  )
}

const whatFailed: Readonly<Record<Exclude<EngineProblem, 'cancelled'>, string>> = {
  sql: 'DuckDB rejected this query',
  refused: 'This query is not allowed here',
  timeout: 'The query took too long and was stopped',
  memory: 'The query needs more memory than the browser has',
  dead: 'The database of this page crashed',
}

function Failed({ error }: { readonly error: unknown }) {
  const problem = error instanceof EngineError ? error.problem : null
  if (problem === 'cancelled') return <p className="text-2">Cancelled. Nothing was changed.</p>
  const what = problem === null ? 'The query could not be run' : whatFailed[problem]
  return <ErrorCard what={what} detail={messageOf(error)} saved="your query and all tables." />
}

interface SqlHistoryProps {
  readonly history: readonly RanQuery[]
  readonly onChoose: (sql: string) => void
}

function SqlHistory({ history, onChoose }: SqlHistoryProps) {
  if (history.length === 0) return null
  return (
    <div className="history-menu">
      <Menu label="Earlier queries" icon={<History className="icon" aria-hidden="true" />}>
        {(choose) =>
          history.map(({ sql, at }) => (
            <button type="button" key={at + sql} onClick={choose(() => onChoose(sql))}>
              <code className="ellipsis">{visibleText(sql.replaceAll(/\s+/g, ' ').slice(0, 120))}</code>
              <small>{new Date(at).toLocaleString('en-GB')}</small>
            </button>
          ))
        }
      </Menu>
    </div>
  )
}

async function addAsTable(services: DataServices, { ipc }: ReadResult, name: string): Promise<void> {
  if (ipc === null) throw new Error('Only a complete result can become a table. Narrow the query first.')
  await services.addRows(name, ipc)
}
