import type { Principal } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { readClientConfig } from './client-config.ts'
import { createClientConfigStore } from './client-config-store.ts'

const key = (name: string): Principal => ({ name, owner: name, scope: 'operator', requestsPerMinute: null })
const readOnly = readClientConfig({ allowedTools: ['Read'] })

it('forgets nobody’s wish for less, however many come: the one too many is refused', () => {
  const store = createClientConfigStore()
  let count = 0
  expect(() => {
    for (; count < 10_000; count += 1) store.put(key(`key-${count}`), readOnly)
  }).toThrow('keys have a configuration here already')
  expect(count).toBeGreaterThanOrEqual(100)
  expect(store.get(key('key-0'))).toBe(readOnly)
  expect(store.get(key(`key-${count - 1}`))).toBe(readOnly)

  // Who has one may change it, and who gives it up makes room.
  const other = readClientConfig({ allowedTools: [] })
  store.put(key('key-0'), other)
  expect(store.get(key('key-0'))).toBe(other)
  store.put(key('key-1'), readClientConfig({}))
  store.put(key('late'), readOnly)
  expect(store.get(key('late'))).toBe(readOnly)
})
