import { describe, expect, it } from 'vitest'
import { readSettings } from '../../examples/netbox/mcp/settings.ts'
import { plainCanary } from '../support/server/canary.ts'

const { secret: token } = plainCanary('the token of NetBox')

describe('the environment of the NetBox server', () => {
  const url = 'https://netbox.example.org'

  it('needs an address and a token of 20 characters, or neither', () => {
    expect(readSettings({ NETBOX_URL: url, NETBOX_TOKEN: 'x'.repeat(20) }).url?.href).toBe(`${url}/`)
    expect(readSettings({ NETBOX_URL: `${url}/netbox/api/`, NETBOX_TOKEN: token }).url?.href).toBe(`${url}/netbox/`)
    expect(readSettings({}).url).toBeNull()
    expect(readSettings({ NETBOX_URL: 'http://netbox.lan', NETBOX_TOKEN: token }).isInTheClear).toBe(true)
  })

  it.each([
    [undefined, 'INFO'],
    ['debug', 'DEBUG'],
    ['WARN', 'WARNING'],
    ['Warning', 'WARNING'],
    ['ERROR', 'ERROR'],
  ])('accepts the log level %s', (name, level) => {
    expect(readSettings({ LOG_LEVEL: name }).logLevel).toBe(level)
  })

  it.each([
    [{ NETBOX_URL: url }, /^Invalid NetBox token/],
    [{ NETBOX_URL: url, NETBOX_TOKEN: 'x'.repeat(19) }, /^Invalid NetBox token.*20 characters/],
    [{ NETBOX_URL: url, NETBOX_TOKEN: `${'x'.repeat(20)}\n${'y'.repeat(20)}` }, /^Invalid NetBox token/],
    [{ NETBOX_TOKEN: token }, /NETBOX_URL is not/],
    [{ NETBOX_URL: 'demo', NETBOX_TOKEN: token }, /not a URL/],
    [{ NETBOX_URL: 'file:///etc/passwd', NETBOX_TOKEN: token }, /http or https/],
    [{ NETBOX_URL: 'https://me:word@netbox.example.org', NETBOX_TOKEN: token }, /user name or password/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL/],
    [{ LOG_LEVEL: 'INFOX' }, /LOG_LEVEL/],
  ])('is rejected with a message that does not contain the token: %#', (env, message) => {
    const failure = () => readSettings(env)
    expect(failure).toThrow(message)
    expect(failure).not.toThrow(token)
  })
})
