import { describe, expect, it } from 'vitest'
import { canonicalJson, isSameCall } from './normalise-input.ts'

describe('canonicalJson', () => {
  it('ignores the order of keys at any depth', () => {
    expect(canonicalJson({ b: { d: 1, c: [{ y: 1, x: 2 }] }, a: 2 })).toBe('{"a":2,"b":{"c":[{"x":2,"y":1}],"d":1}}')
  })

  it('preserves the order of lists and the difference between values', () => {
    expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]))
    expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }))
    expect(canonicalJson({ a: null })).not.toBe(canonicalJson({}))
  })

  it('treats missing and undefined fields alike', () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe(canonicalJson({ b: 1 }))
  })

  it('keeps a key called __proto__ as an ordinary key', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"x":1},"a":1}'))).toBe('{"__proto__":{"x":1},"a":1}')
  })
})

describe('isSameCall', () => {
  const call = { toolName: 'Bash', toolInput: { command: 'ls', timeout: 5 } }

  it('is true for the same tool and the same values', () => {
    const again = { toolName: 'Bash', toolInput: { timeout: 5, command: 'ls' } }
    expect(isSameCall(call, again)).toBe(true)
    expect(isSameCall({ toolName: 'Task', toolInput: {} }, { toolName: 'Agent', toolInput: {} })).toBe(true)
  })

  it('is false for another tool, value or field', () => {
    for (const other of [
      { toolName: 'Read', toolInput: call.toolInput },
      { toolName: 'Bash', toolInput: { command: 'ls ', timeout: 5 } },
      { toolName: 'Bash', toolInput: { command: 'ls', timeout: 5, dangerouslyDisableSandbox: true } },
    ]) {
      expect(isSameCall(call, other)).toBe(false)
    }
  })
})
