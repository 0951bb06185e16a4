import { expect, it } from 'vitest'
import { checkedOrigins } from './allowed-origins.ts'

it('takes origins as people write them and gives them as browsers do, each once', () => {
  const given = ['https://Desk.Example', 'https://desk.example:443/', 'http://127.0.0.1:5173', 'http://[::1]:80']
  expect(checkedOrigins(given)).toEqual(['https://desk.example', 'http://127.0.0.1:5173', 'http://[::1]'])
})

it.each(['*', 'https://*.example', 'http://*'])('refuses %s, which would let anybody in', (origin) => {
  expect(() => checkedOrigins(['https://desk.example', origin])).toThrow(/list those that may, one by one/)
})

it.each([
  ...['', 'null', 'desk.example', 'https://desk.example/app', 'https://desk.example?x', 'https://desk.example#x'],
  ...['https://me@desk.example', 'ftp://desk.example', 'javascript:alert(1)', 'file:///etc', 'https://'],
])('refuses %j, which is no origin', (origin) => {
  expect(() => checkedOrigins([origin])).toThrow(/is no origin/)
})
