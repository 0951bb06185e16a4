import { describe, expect, it } from 'vitest'
import { browserSessionSeconds, cookieNameFor, createBrowserSessions } from './browser-sessions.ts'

describe('browser sessions', () => {
  it('survive a restart, because they are signed with the token and not stored', () => {
    const value = createBrowserSessions('token-a', () => 0).issue()
    expect(createBrowserSessions('token-a', () => 1).isValid(value)).toBe(true)
  })

  it('end when they expire and when the token changes', () => {
    const value = createBrowserSessions('token-a', () => 0).issue()
    expect(createBrowserSessions('token-a', () => browserSessionSeconds * 1000).isValid(value)).toBe(false)
    expect(createBrowserSessions('token-b', () => 1).isValid(value)).toBe(false)
  })

  it('do not contain the token and cannot be extended', () => {
    const sessions = createBrowserSessions('token-a', () => 0)
    const value = sessions.issue()
    expect(value).not.toContain('token-a')
    const [expiry = '', seal = ''] = value.split('.')
    expect(sessions.isValid(`${Number(expiry) + 1}.${seal}`)).toBe(false)
  })

  it.each(['', '.', 'a.b', '1', '1.', '9999999999999.', '9999999999999.x', '1.2.3', '-1.x'])('refuse %j', (value) => {
    expect(createBrowserSessions('token-a', () => 0).isValid(value)).toBe(false)
  })

  it('have a cookie name per port, so that two servers on one machine do not sign each other out', () => {
    expect(cookieNameFor('127.0.0.1:4300')).not.toBe(cookieNameFor('127.0.0.1:4301'))
    expect(cookieNameFor('[::1]:4300')).toBe('quarterdeck_4300')
    expect(cookieNameFor('deck.example')).toBe('quarterdeck_default')
  })
})
