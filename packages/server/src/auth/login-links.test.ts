import { describe, expect, it } from 'vitest'
import { createLoginLinks } from './login-links.ts'

describe('login codes', () => {
  it('work exactly once', () => {
    const links = createLoginLinks(() => 0)
    const code = links.issue()
    expect(links.redeem(code)).toBe(true)
    expect(links.redeem(code)).toBe(false)
  })

  it('expire after ten minutes', () => {
    let now = 0
    const links = createLoginLinks(() => now)
    const [early, late] = [links.issue(), links.issue()]
    now = 10 * 60 * 1000 - 1
    expect(links.redeem(early)).toBe(true)
    now += 1
    expect(links.redeem(late)).toBe(false)
  })

  it('are independent, and a wrong code consumes none', () => {
    const links = createLoginLinks(() => 0)
    const [one, other] = [links.issue(), links.issue()]
    expect(links.redeem('')).toBe(false)
    expect(links.redeem(`${one}x`)).toBe(false)
    expect(links.redeem(other)).toBe(true)
    expect(links.redeem(one)).toBe(true)
  })

  it('are bounded: the oldest open code is dropped', () => {
    const links = createLoginLinks(() => 0)
    const codes = Array.from({ length: 21 }, () => links.issue())
    expect(links.redeem(codes[0] ?? '')).toBe(false)
    expect(links.redeem(codes[1] ?? '')).toBe(true)
  })
})
