// Keeps the handwritten docs/reference/cli.md correct.
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { chat } from '../commands/chat/chat.ts'
import { scripted, writeAgent } from '../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { buildProgram } from './program.ts'

const page = await readFile(new URL('../../../../docs/reference/cli.md', import.meta.url), 'utf8')

/** The text between a heading and the next one. */
const sectionOf = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''

/** The first cell of each row that is code. */
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

describe('docs/reference/cli.md', () => {
  it('has a section for every command, with its arguments', async () => {
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
        const hasShownDefault = defaultValue !== undefined && typeof defaultValue !== 'boolean'
        for (const word of [
          ...(hasShownDefault ? [defaultValue] : []),
          ...(envVar === undefined ? [] : [envVar]),
          ...argChoices,
        ])
          expect(row, `${name} ${flags}`).toContain(`\`${word}\``)
      }
    }
  })

  it('lists exactly the slash commands of a chat', async () => {
    const { terminal, stderr } = await openTestTerminal({ piped: '/help\n' })
    await chat(terminal, { agent: await writeAgent(terminal.cwd), flags: {} }, scripted([]))
    const listed = [...stderr().matchAll(/^(\/\w+(?: [A-Z]+)?) {2,}/gm)].map(([, name]) => name)
    expect(listed.length).toBeGreaterThan(0)
    expect(namesIn(sectionOf('chat')).filter((name) => name.startsWith('/'))).toEqual(listed)
  })
})
