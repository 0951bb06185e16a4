import { describe, expect, it } from 'vitest'
import { classifyEffects } from './classify-effects.ts'

const effectsOf = (command: string) => classifyEffects({ toolName: 'Bash', toolInput: { command } })

describe('classifyEffects', () => {
  it.each([
    ['Read', ['read']],
    ['Glob', ['read']],
    ['Grep', ['read']],
    ['Write', ['write']],
    ['Edit', ['write']],
    ['WebSearch', ['network']],
    ['Agent', ['spend']],
    ['Task', ['spend']],
    ['mcp__any__thing', ['read', 'write', 'network']],
  ])('classifies %s', (toolName, expected) => {
    expect(classifyEffects({ toolName, toolInput: {} })).toEqual(expected)
  })

  it.each([
    ['ls -la', ['read']],
    ['cat a | grep b | wc -l', ['read']],
    ['git status && git diff', ['read']],
    ['cat a > b', ['read', 'write']],
    ['npm test', ['write']],
    ['mkdir x', ['write']],
    ['curl https://a.test', ['write', 'network']],
    ['npm install', ['write', 'network']],
    ['git push', ['write', 'network']],
    ['git push --force', ['write', 'network', 'irreversible']],
    ['git push origin +main', ['write', 'network', 'irreversible']],
    ['git reset --hard', ['write', 'irreversible']],
    ['git clean -fdx', ['write', 'irreversible']],
    ['rm x', ['write', 'irreversible']],
    ['sudo rm x', ['write', 'irreversible']],
    ["bash -c 'rm x'", ['read', 'write', 'irreversible']],
    ['truncate -s 0 x', ['write', 'irreversible']],
    ['psql -c "DROP TABLE users"', ['write', 'irreversible']],
    ['psql -c "delete from users"', ['write', 'irreversible']],
    ['find . -delete', ['write', 'irreversible']],
    ['$x', ['write', 'network', 'irreversible']],
    ["echo 'unclosed", ['write', 'network', 'irreversible']],
    ['terraform destroy', ['write', 'network', 'irreversible']],
  ])('returns for %j the effects %j', (command, expected) => {
    expect(effectsOf(command)).toEqual(expected)
  })

  it('is never empty', () => {
    for (const command of ['', '# nothing', 'X=1', ':']) expect(effectsOf(command).length).toBeGreaterThan(0)
  })
})
