import { expect, it } from 'vitest'
import { sessionShape } from './session-shape.ts'

it('has every tool of its agent and nothing more to say unless it was told', () => {
  const shape = sessionShape({}, [])
  expect(shape.instructions).toBeNull()
  expect(['Bash', 'mcp__netbox__get', 'mcp__client__draw'].every(shape.has)).toBe(true)
})

it('has only what is allowed, by any of its names', () => {
  const { has } = sessionShape({ allowedTools: ['Read', 'Task', 'get', 'mcp__docs__find', 'draw'] }, [])
  const names = ['Read', 'Agent', 'SendMessage', 'mcp__netbox__get', 'mcp__docs__find', 'mcp__client__draw']
  expect(names.filter((name) => !has(name))).toEqual([])
  const others = ['Bash', 'Write', 'AskUserQuestion', 'mcp__netbox__put', 'mcp__client__erase', 'get', 'draw2']
  expect(others.filter(has)).toEqual(['get'])
})

it('has nothing at all where nothing is allowed', () => {
  const { has } = sessionShape({ allowedTools: [] }, [])
  expect(['Bash', 'SendMessage', 'mcp__client__draw'].some(has)).toBe(false)
})
