import type { Sandbox } from '../sandbox/sandbox.ts'

/** Opened by the first code that runs in it. */
export function createLazySandbox(): Sandbox {
  let opened: Promise<Sandbox> | null = null
  const open = async () => (await import('../sandbox/create-sandbox.ts')).createSandbox()
  return {
    async run(call) {
      opened ??= open()
      return (await opened).run(call)
    },
    close() {
      void opened?.then((sandbox) => sandbox.close())
      opened = null
    },
  }
}
