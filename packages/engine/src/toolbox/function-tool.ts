// A function of a project module as a tool.
import { type FunctionTool, type JsonObject, messageOf, QuarterdeckError, unlessAborted } from '@quarterdeck/protocol'
import type { ToolCall, ToolOutput } from '../ports/tool-call.ts'
import { hostToolName } from '../tool-names/host-tool-names.ts'
import { createInputCheck, type InputCheck } from './check-input.ts'
import { takeImages } from './input-images.ts'
import type { SharedModuleHost } from './modules/module-hosts.ts'
import { WorkerEnded, type WorkerOutput } from './modules/running-worker.ts'
import { failed, type ToolSource, type ToolSourceContext } from './tool-source.ts'

const anyObject: JsonObject = { type: 'object' }

/** Loads the module. Throws `tool.unavailable`, or the signal's reason if it aborts. */
export async function openFunctionTool(
  tool: FunctionTool,
  host: SharedModuleHost,
  { toolContext, signal: opening }: { readonly toolContext: ToolSourceContext; readonly signal: AbortSignal },
): Promise<ToolSource> {
  const wanted = { file: tool.file, name: tool.functionName }
  const name = hostToolName(tool.name)
  let inputSchema = tool.parameters ?? anyObject
  let check: InputCheck = () => null

  async function load(): Promise<void> {
    const exported = await host.load(wanted)
    inputSchema = tool.parameters ?? (exported === null ? anyObject : ({ ...exported } as JsonObject)) // parsed from JSON
    check = createInputCheck(inputSchema)
  }

  const unsubscribe = host.onReload(async () => {
    const before = JSON.stringify(inputSchema)
    await load()
    if (JSON.stringify(inputSchema) !== before) toolContext.events.changed()
  })

  async function call({ toolInput }: ToolCall, signal: AbortSignal): Promise<ToolOutput> {
    const problem = check(toolInput)
    if (problem !== null) return failed(problem)
    const { sessionId, cwd } = toolContext
    const running = host.call(
      {
        export: wanted,
        input: toolInput,
        context: { sessionId, cwd },
        timeoutMs: tool.timeoutMs,
        checksInput: tool.parameters === null,
      },
      signal,
    )
    return outputOf(await unlessAborted(running, signal))
  }

  try {
    await unlessAborted(load(), opening)
  } catch (error) {
    unsubscribe()
    opening.throwIfAborted()
    const message = messageOf(error)
    const detail = `agent "${toolContext.agentName}": the function tool "${tool.name}" cannot be loaded: ${message}`
    throw new QuarterdeckError('tool.unavailable', detail, { facts: { tool: tool.name }, cause: error })
  }
  return {
    list: () => [{ name, description: tool.description, inputSchema }],
    async call(asked, signal) {
      try {
        return await call(asked, signal)
      } catch (error) {
        if (signal.aborted) return failed('the call was interrupted')
        const why = messageOf(error)
        return failed(error instanceof WorkerEnded ? `${tool.name} was stopped: ${why}.` : why)
      }
    },
    async close() {
      unsubscribe()
    },
  }
}

function outputOf({ output, isError, images: candidates }: WorkerOutput): ToolOutput {
  const { images, leftOut } = takeImages(candidates)
  const text = [...(output === '' && leftOut.length > 0 ? [] : [output]), ...leftOut].join('\n')
  return { output: text, isError, ...(images.length > 0 && { images }) }
}
