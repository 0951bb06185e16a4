import type { Principal } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { readClientConfig } from './client-config.ts'
import { createClientConfigStore } from './client-config-store.ts'

const key = (name: string): Principal => ({ name, owner: name, scope: 'operator', requestsPerMinute: null })
const readOnly = readClientConfig({ allowedTools: ['Read'] })

it('keeps every configuration, and refuses one too many', () => {
  const store = createClientConfigStore()
  let count = 0
  expect(() => {
    for (; count < 10_000; count += 1) store.put(key(`key-${count}`), readOnly)
  }).toThrow('keys already have a configuration')
  expect(count).toBeGreaterThanOrEqual(100)
  expect(store.get(key('key-0'))).toBe(readOnly)
  expect(store.get(key(`key-${count - 1}`))).toBe(readOnly)

  // A client with a configuration may change it, and removing one makes room.
  const other = readClientConfig({ allowedTools: [] })
  store.put(key('key-0'), other)
  expect(store.get(key('key-0'))).toBe(other)
  store.put(key('key-1'), readClientConfig({}))
  store.put(key('late'), readOnly)
  expect(store.get(key('late'))).toBe(readOnly)
})
