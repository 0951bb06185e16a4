// The tools of one session: what its agent file names, started and ready to be called.
import type { OpenToolbox } from '../host-toolbox.ts'

/** What every toolbox of this engine shares. */
export function createToolboxes(): OpenToolbox {
  return async () => ({
    list: () => [],
    onChange: () => () => undefined,
    servers: () => [],
    onServer: () => () => undefined,
    call: async ({ toolName }) => ({ output: `${toolName} is not there.`, isError: true }),
    async close() {},
  })
}
