import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { ensureBuilt } from './ensure-built.mjs'

const repository = fileURLToPath(new URL('../../..', import.meta.url))
const packages = ['protocol', 'client', 'model', 'simulator', 'engine', 'server', 'cli']
const checkouts: string[] = []

afterEach(() => Promise.all(checkouts.splice(0).map((path) => rm(path, { recursive: true, force: true }))))

it('builds on first use and not again', async () => {
  const root = await checkout()
  expect(await build(root)).toEqual({ ok: true, output: expect.stringContaining('built the workbench') })
  expect(await readFile(join(root, 'packages/cli/dist/bundle/index.js'), 'utf8')).toMatch(/answer ?= ?1\b/)
  expect(await build(root)).toEqual({ ok: true, output: '' })
})

it('rebuilds only the changed target', async () => {
  const root = await checkout()
  await build(root)
  await write(root, 'packages/cli/src/index.ts', 'export const answer = 22')
  const { output } = await build(root)
  expect(output).toContain('built the packages')
  expect(output).not.toContain('workbench')
  expect(await readFile(join(root, 'packages/cli/dist/bundle/index.js'), 'utf8')).toMatch(/answer ?= ?22\b/)
})

it('rebuilds when an output was deleted', async () => {
  const root = await checkout()
  await build(root)
  await rm(join(root, 'packages/engine/dist'), { recursive: true })
  expect((await build(root)).output).toContain('built the packages')
  expect(await readFile(join(root, 'packages/engine/dist/index.js'), 'utf8')).toContain('answer')
})

it('does not rebuild for a changed test', async () => {
  const root = await checkout()
  await build(root)
  await write(root, 'packages/cli/src/answer.test.ts', 'export const given = 1')
  expect(await build(root)).toEqual({ ok: true, output: '' })
})

it('prints the compiler output when the build fails, and tries again the next time', async () => {
  const root = await checkout()
  await write(root, 'packages/cli/src/index.ts', `export const answer: number = 'one'`)
  for (const _attempt of [1, 2]) {
    const { ok, output } = await build(root)
    expect(ok).toBe(false)
    expect(output).toContain('TS2322')
  }
})

it('lets several concurrent first uses succeed while one of them builds', async () => {
  const root = await checkout()
  const runs = await Promise.all([1, 2, 3].map(() => buildInOwnProcess(root)))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(runs.filter(({ output }) => output.includes('building the packages'))).toHaveLength(1)
})

it('takes over the lock of a dead builder', async () => {
  const root = await checkout()
  const died = await buildInOwnProcess(root)
  await write(root, 'packages/cli/src/index.ts', 'export const answer = 333')
  await write(root, `packages/cli/dist/.builder/${died.pid}.left-behind`, '')
  expect(await build(root)).toMatchObject({ ok: true })
  expect(await readFile(join(root, 'packages/cli/dist/bundle/index.js'), 'utf8')).toMatch(/answer ?= ?333\b/)
})

it('reports missing dependencies', async () => {
  const root = await checkout()
  await rm(join(root, 'node_modules'))
  expect(await build(root)).toEqual({
    ok: false,
    output: `The dependencies are not installed: run \`npm ci\` in ${root} first.`,
  })
})

it('reports the missing files of an incomplete checkout', async () => {
  const root = await checkout()
  await rm(join(root, 'packages/web'), { recursive: true })
  expect(await build(root)).toEqual({
    ok: false,
    output: expect.stringMatching(/could not be started: ENOENT.*packages\/web/),
  })
})

// Root can write everywhere, so nothing is refused.
it.skipIf(process.getuid?.() === 0)('says who must build when this user may not write', async () => {
  const root = await checkout()
  await chmod(join(root, 'packages/cli'), 0o555)
  const { ok, output } = await build(root)
  await chmod(join(root, 'packages/cli'), 0o755)
  expect(ok).toBe(false)
  expect(output).toContain('Run `npm run build` once as the owner of that folder.')
})

/** The smallest checkout that the real build accepts. */
async function checkout(): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-checkout-')))
  checkouts.push(root)
  await write(root, 'package.json', '{"type":"module"}')
  await write(root, 'tsconfig.base.json', await readFile(join(repository, 'tsconfig.base.json'), 'utf8'))
  const compilerOptions = { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' }
  const config = {
    extends: '../../tsconfig.base.json',
    compilerOptions,
    include: ['src'],
    exclude: ['src/**/*.test.ts'],
  }
  for (const name of packages) {
    await write(root, `packages/${name}/package.json`, '{"type":"module"}')
    await write(root, `packages/${name}/tsconfig.json`, JSON.stringify(config))
    await write(root, `packages/${name}/src/index.ts`, 'export const answer = 1')
  }
  const bundling = await readFile(join(repository, 'packages/cli/bundle.config.mjs'), 'utf8')
  await write(root, 'packages/cli/bundle.config.mjs', bundling)
  await write(root, 'packages/web/index.html', '<script type="module" src="./main.js"></script>')
  await write(root, 'packages/web/main.js', 'document.title = "workbench"')
  await write(root, 'packages/web/vite.config.mjs', `export default { build: { outDir: 'dist/site' } }`)
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
  return root
}

async function build(root: string): Promise<{ ok: boolean; output: string }> {
  const lines: string[] = []
  const ok = await ensureBuilt(root, (line) => lines.push(line))
  return { ok, output: lines.join('\n') }
}

function buildInOwnProcess(root: string): Promise<{ code: number | null; output: string; pid: number | undefined }> {
  const module = pathToFileURL(join(repository, 'packages/cli/bin/ensure-built.mjs')).href
  const script = `import { ensureBuilt } from '${module}'; process.exitCode = (await ensureBuilt(${JSON.stringify(root)}, console.log)) ? 0 : 1`
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.on('close', (code) => resolve({ code, output, pid: child.pid }))
  })
}

async function write(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), `${text}\n`)
}
