// docs/reference/cli.md is written by hand: this is what keeps it true.
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { chat } from '../commands/chat/chat.ts'
import { scripted, writeAgent } from '../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { buildProgram } from './program.ts'

const page = await readFile(new URL('../../../../docs/reference/cli.md', import.meta.url), 'utf8')

/** What stands between a heading and the next one. */
const sectionOf = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''

/** The first cell of each row, where it is code. */
const namesIn = (section: string): string[] => [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name)

async function commands(): Promise<readonly (readonly [string, Command])[]> {
  const { terminal } = await openTestTerminal({ piped: '' })
  const leaves = (command: Command, name: string): readonly (readonly [string, Command])[] =>
    command.commands.length === 0
      ? [[name, command]]
      : command.commands.flatMap((child) => leaves(child, `${name} ${child.name()}`.trim()))
  return leaves(
    buildProgram(terminal, '', () => undefined),
    '',
  )
}

describe('the page about the command line', () => {
  it('has a section for every command, with what it takes', async () => {
    for (const [name, command] of await commands()) {
      const [own = ''] = command.usage().split('[options] ').slice(1)
      expect(sectionOf(name)).toContain(`\`quarterdeck ${`${name} ${own}`.trim()}\``)
      expect(page).toContain(`[\`${name}\`](#${name.replace(' ', '-')})`)
    }
  })

  it('lists exactly the options of each command, with their defaults', async () => {
    for (const [name, { options }] of await commands()) {
      const section = sectionOf(name)
      const listed = namesIn(section).filter((flags) => flags.startsWith('-'))
      expect(listed.sort(), name).toEqual(options.map(({ flags }) => flags).sort())
      for (const { flags, defaultValue, envVar, argChoices = [] } of options) {
        const row = section.split('\n').find((line) => line.startsWith(`| \`${flags}\``))
        const isTold = defaultValue !== undefined && typeof defaultValue !== 'boolean'
        for (const word of [
          ...(isTold ? [defaultValue] : []),
          ...(envVar === undefined ? [] : [envVar]),
          ...argChoices,
        ])
          expect(row, `${name} ${flags}`).toContain(`\`${word}\``)
      }
    }
  })

  it('lists exactly the commands inside a chat', async () => {
    const { terminal, stderr } = await openTestTerminal({ piped: '/help\n' })
    await chat(terminal, { agent: await writeAgent(terminal.cwd), flags: {} }, scripted([]))
    const told = [...stderr().matchAll(/^(\/\w+(?: [A-Z]+)?) {2,}/gm)].map(([, name]) => name)
    expect(told.length).toBeGreaterThan(0)
    expect(namesIn(sectionOf('chat')).filter((name) => name.startsWith('/'))).toEqual(told)
  })
})
