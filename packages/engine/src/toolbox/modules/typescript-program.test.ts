import { describe, expect, it } from 'vitest'
import { typescriptProgram } from './typescript-program.ts'

describe('the command line of a program', () => {
  it.each([
    'node server.ts',
    'node ./deep/server.mts --port 1',
    'node.exe server.ts',
    '/usr/local/bin/node server.ts',
    'node --import ./setup.mjs server.ts',
    'node --env-file .env server.ts',
    'node --conditions development --import=./setup.ts server.js',
  ])('gets the hooks before its own arguments if it is TypeScript: %s', (line) => {
    const [command = '', ...args] = line.split(' ')
    const [option, address, ...own] = typescriptProgram({ command, args })
    expect([option, address?.slice(0, 16)]).toEqual(['--import', 'data:text/javasc'])
    expect(own).toEqual(args)
  })

  it.each([
    'node server.js',
    'node server.mjs notes.txt',
    'node',
    'deno run server.ts',
    'tsx server.ts',
    'nodemon a.ts',
  ])('stays unchanged if it is not, or if another program runs it: %s', (line) => {
    const [command = '', ...args] = line.split(' ')
    expect(typescriptProgram({ command, args })).toEqual(args)
  })
})
