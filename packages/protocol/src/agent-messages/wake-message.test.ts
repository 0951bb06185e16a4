import { describe, expect, it } from 'vitest'
import {
  formatAnswer,
  formatApprovedCall,
  formatDeniedCall,
  formatResult,
  isWakeMessage,
  parseAnswers,
  parseApprovedCalls,
  parseDeniedCalls,
  parseResults,
} from './wake-message.ts'

describe('the wake message', () => {
  it('preserves approved calls and their order among other text', () => {
    const bash = { command: 'echo "a\nb" | sed \'s/{/}/\'', description: 'ä 🙂' }
    const text = `The server restarted.\n${formatApprovedCall('Bash', bash)}\r\n- ${formatApprovedCall('Edit', {})}\nGo on.`
    expect(parseApprovedCalls(text)).toEqual([
      { tool: 'Bash', input: bash },
      { tool: 'Edit', input: {} },
    ])
  })

  it('separates denials, with the note of the person', () => {
    const text = `${formatDeniedCall('Bash', { command: 'rm x' }, 'too risky')}\n${formatApprovedCall('Read', { file_path: 'a' })}`
    expect(parseDeniedCalls(text)).toEqual([{ tool: 'Bash', input: { command: 'rm x' }, note: 'too risky' }])
    expect(parseApprovedCalls(text)).toEqual([{ tool: 'Read', input: { file_path: 'a' } }])
  })

  it('finds nothing in ordinary text or in a line with invalid JSON', () => {
    expect(parseApprovedCalls('please go on')).toEqual([])
    expect(parseApprovedCalls('Approved call (re-issue exactly): {"tool":"Bash","input":{')).toEqual([])
  })

  it('preserves answers and results word for word', () => {
    const answer = { questions: ['Which {one}?'], answers: { 'Which {one}?': ['a\nb', '"c"'] }, note: null }
    const declined = { questions: ['Why?'], answers: null, note: 'no time' }
    const result = {
      tool: 'mcp__client__query',
      input: { sql: 'select 1' },
      output: 'Approved call: }{\n',
      isError: false,
    }
    const text = [formatAnswer(answer), formatAnswer(declined), formatResult(result)].join('\n')
    expect(parseAnswers(text)).toEqual([answer, declined])
    expect(parseResults(text)).toEqual([result])
    expect(parseApprovedCalls(text)).toEqual([])
  })

  it('is distinguished from other messages of the engine', () => {
    expect(isWakeMessage(formatAnswer({ questions: [], answers: null, note: null }))).toBe(true)
    expect(isWakeMessage('You were stopped in the middle of your work.')).toBe(false)
  })
})
