import { visibleText } from '@quarterdeck/protocol'
import { History, Play, ShieldCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Menu } from '../../../components/controls/menu.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { StateLabel } from '../../../components/status/state-label.tsx'
import { useNow } from '../../../hooks/use-now.ts'
import { EngineError, type EngineProblem, type ReadResult } from '../../domain/query-engine.ts'
import { CodeField } from '../controls/code-field.tsx'
import { formatDuration } from '../controls/format-duration.ts'
import { type RanQuery, readHistory, saveQuery } from './sql-history.ts'
import { SqlResult } from './sql-result.tsx'

interface SqlConsoleProps {
  readonly query: (sql: string, signal: AbortSignal) => Promise<ReadResult>
  readonly draft: string
  readonly onDraft: (sql: string) => void
  readonly tables: readonly string[]
  /** Names of all tables, including those with a missing file. */
  readonly taken: readonly string[]
  /** Rejects with a message on failure. */
  readonly onUseAsTable: (result: ReadResult, name: string) => Promise<void>
  readonly onExport: (result: ReadResult) => void
}

type Outcome =
  | { readonly status: 'none' }
  | { readonly status: 'running'; readonly since: number }
  | { readonly status: 'done'; readonly result: ReadResult }
  | { readonly status: 'failed'; readonly error: unknown }

/** SQL of the user: everything can be read, nothing is sent. */
export function SqlConsole({ query, draft, onDraft, tables, taken, onUseAsTable, onExport }: SqlConsoleProps) {
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
      setOutcome({ status: 'done', result: await query(sql, stopping.signal) })
    } catch (error) {
      setOutcome({ status: 'failed', error })
    } finally {
      running.current = null
    }
  }

  const isRunning = outcome.status === 'running'
  return (
    <section className="console scroll" aria-label="SQL console">
      <h2 className="unseen">SQL</h2>
      <p className="console-note">
        <ShieldCheck className="icon s" aria-hidden="true" />
        Your own SQL runs in this browser and never leaves it: neither the query nor its rows.
      </p>
      <div className="editor">
        <CodeField
          label="Your SQL"
          language="sql"
          value={draft}
          onChange={onDraft}
          onRun={() => void run()}
          placeholder={`SELECT * FROM ${tables[0] ?? 'a_table'} LIMIT 100`}
        />
      </div>
      <div className="row">
        <Button variant={['s', 'ink']} disabled={isRunning || draft.trim() === ''} onClick={() => void run()}>
          <Play className="icon s" aria-hidden="true" />
          Run <kbd className="wide-only">Ctrl ↵</kbd>
        </Button>
        {isRunning && (
          <Button variant={['s', 'danger']} onClick={() => running.current?.abort()}>
            Cancel
          </Button>
        )}
        <SqlHistory history={history} onChoose={onDraft} />
        <span className="grow" />
        {isRunning && <Elapsed since={outcome.since} />}
      </div>
      {outcome.status === 'failed' && <Failed error={outcome.error} />}
      {outcome.status === 'done' && (
        <SqlResult
          result={outcome.result}
          taken={taken}
          onUseAsTable={(name) => onUseAsTable(outcome.result, name)}
          onExport={() => onExport(outcome.result)}
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
  const detail = error instanceof Error ? error.message : String(error)
  return <ErrorCard what={what} detail={detail} saved="your query and all tables." />
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
              <code className="cut">{visibleText(sql.replaceAll(/\s+/g, ' ').slice(0, 120))}</code>
              <small>{new Date(at).toLocaleString('en-GB')}</small>
            </button>
          ))
        }
      </Menu>
    </div>
  )
}
