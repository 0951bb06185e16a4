import { describe, expect, it } from 'vitest'
import { formatApprovedCall, formatDeniedCall, parseApprovedCalls, parseDeniedCalls } from './wake-message.ts'

describe('the wake message', () => {
  it('carries approved calls through unchanged, in order, among other text', () => {
    const bash = { command: 'echo "a\nb" | sed \'s/{/}/\'', description: 'ä 🙂' }
    const text = `The server restarted.\n${formatApprovedCall('Bash', bash)}\r\n- ${formatApprovedCall('Edit', {})}\nGo on.`
    expect(parseApprovedCalls(text)).toEqual([
      { tool: 'Bash', input: bash },
      { tool: 'Edit', input: {} },
    ])
  })

  it('keeps denials apart, with the note of the person', () => {
    const text = `${formatDeniedCall('Bash', { command: 'rm x' }, 'too risky')}\n${formatApprovedCall('Read', { file_path: 'a' })}`
    expect(parseDeniedCalls(text)).toEqual([{ tool: 'Bash', input: { command: 'rm x' }, note: 'too risky' }])
    expect(parseApprovedCalls(text)).toEqual([{ tool: 'Read', input: { file_path: 'a' } }])
  })

  it('finds nothing in ordinary text or in a broken line', () => {
    expect(parseApprovedCalls('please go on')).toEqual([])
    expect(parseApprovedCalls('Approved call (re-issue exactly): {"tool":"Bash","input":{')).toEqual([])
  })
})
