// Applies an event of the server to its run. Events contain only the calls of steps; steps themselves are created here.
import { type AnalysisEvent, sessionExpired } from '@quarterdeck/protocol'
import type { Run } from '../../domain/analysis.ts'

export function foldServerEvent(run: Run, event: AnalysisEvent, at: string): Run {
  // A run that was cancelled here stays cancelled.
  if (run.state !== 'running' && run.state !== 'waiting') return run
  switch (event.type) {
    case 'thinking':
      return { ...run, said: run.said + event.content }
    case 'tool_call':
      // Separates text before and after a call.
      return run.said === '' || run.said.endsWith('\n\n') ? run : { ...run, said: `${run.said}\n\n` }
    case 'answer':
      return { ...run, answer: event.result }
    case 'error':
      return foldFailure(run, event)
    case 'done':
      return { ...end(run), endedAt: at, ask: null }
    case 'session':
      return run
  }
}

function foldFailure(run: Run, { message, code, retryable }: Extract<AnalysisEvent, { type: 'error' }>): Run {
  // The client wakes it.
  if (code === sessionExpired) return run
  return { ...run, failure: { message, code: code ?? null, isRetryable: retryable ?? false } }
}

function end(run: Run): Run {
  if (run.answer !== null) return { ...run, state: 'done', failure: null }
  if (run.failure?.code === 'cancelled') return { ...run, state: 'cancelled', failure: null }
  const failure = run.failure ?? { message: 'the analysis ended without an answer', code: null, isRetryable: true }
  return { ...run, state: 'failed', failure }
}
