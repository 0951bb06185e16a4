import { describe, expect, it } from 'vitest'
import { exposureWarning, refuseExposure } from './exposure.ts'

const safe = { name: 'hello', requestedModelSource: 'provider', problems: [] } as const
const unsafe = { name: 'root', requestedModelSource: 'provider', problems: [{ code: 'config.unsafe' }] } as const
const undecided = { name: 'demo', requestedModelSource: 'auto', problems: [] } as const

describe('serving an agent', () => {
  it.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1'])('is allowed for any agent on %s', (host) => {
    expect(() => refuseExposure(host, [safe, unsafe, undecided])).not.toThrow()
    expect(exposureWarning(host)).toBeNull()
  })

  it.each(['0.0.0.0', '::', '192.168.1.5', 'deck.example'])('is refused on %s for unsafe agents', (host) => {
    expect(() => refuseExposure(host, [safe])).not.toThrow()
    expect(() => refuseExposure(host, [safe, unsafe])).toThrow(/agent "root".*acceptAll/)
    expect(() => refuseExposure(host, [undecided])).toThrow(/agent "demo".*auto/)
    expect(exposureWarning(host)).toContain(host)
  })
})
