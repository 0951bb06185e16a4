import { describe, expect, it } from 'vitest'
import { nearestName } from './nearest-name.ts'

describe('nearestName', () => {
  it.each([
    ['modle', 'model'],
    ['Instructions', 'instructions'],
    ['permissionMode', 'permission_mode'],
    ['max-turns', 'max_turns'],
    ['tool', 'tools'],
    ['nam', 'name'],
  ])('maps %s to %s', (typed, meant) => {
    const known = ['model', 'name', 'instructions', 'permission_mode', 'max_turns', 'tools']
    expect(nearestName(typed, known)).toBe(meant)
  })

  it.each(['zebra', '', 'x'.repeat(5000)])('returns undefined when no known name is close: %#', (typed) => {
    expect(nearestName(typed, ['model', 'instructions'])).toBeUndefined()
  })
})
