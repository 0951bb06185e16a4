import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { secretFilesOf, withoutOwnEnvFile } from './secret-files.ts'

it('the .env where an agent works is its own, by whatever links its file was found', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-secrets-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [project, linked, house] = [join(root, 'project'), join(root, 'linked'), join(root, '.env')]
  mkdirSync(project)
  symlinkSync(project, linked)
  for (const file of [house, join(project, '.env')]) writeFileSync(file, 'a made-up key')
  for (const [file, cwd] of [
    [project, project],
    [linked, project],
    [project, linked],
  ] as const) {
    expect(withoutOwnEnvFile(secretFilesOf(join(file, 'agent.yaml'), [house]), cwd)).toEqual([house])
  }
})

it('a .env that only leads out of where an agent works is not its own', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-secrets-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [project, kept] = [join(root, 'project'), join(root, 'kept.env')]
  mkdirSync(project)
  writeFileSync(kept, 'a made-up key')
  symlinkSync(kept, join(project, '.env'))
  const own = join(project, '.env')
  expect(withoutOwnEnvFile(secretFilesOf(join(project, 'agent.yaml')), project)).toEqual([own])
})
