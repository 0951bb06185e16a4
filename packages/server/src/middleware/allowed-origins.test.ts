import { expect, it } from 'vitest'
import { checkedOrigins } from './allowed-origins.ts'

it('normalizes origins to the form of browsers, without duplicates', () => {
  const given = ['https://Desk.Example', 'https://desk.example:443/', 'http://127.0.0.1:5173', 'http://[::1]:80']
  expect(checkedOrigins(given)).toEqual(['https://desk.example', 'http://127.0.0.1:5173', 'http://[::1]'])
})

it.each(['*', 'https://*.example', 'http://*'])('refuses %s, which would allow every origin', (origin) => {
  expect(() => checkedOrigins(['https://desk.example', origin])).toThrow(/list the allowed origins, one by one/)
})

it.each([
  ...['', 'null', 'desk.example', 'https://desk.example/app', 'https://desk.example?x', 'https://desk.example#x'],
  ...['https://me@desk.example', 'ftp://desk.example', 'javascript:alert(1)', 'file:///etc', 'https://'],
])('refuses %j, which is not an origin', (origin) => {
  expect(() => checkedOrigins([origin])).toThrow(/is not an origin/)
})
