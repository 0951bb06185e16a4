// Describes a failed connection to an MCP server, with a remedy.
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { SseError } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { MessageTooLarge } from './message-too-large.ts'

export function describeConnectionError(error: unknown): string {
  if (error instanceof UnauthorizedError) return 'it answers 401: check the headers of this tool'
  if (error instanceof StreamableHTTPError || error instanceof SseError) return ofHttp(error.code, error.message)
  if (error instanceof McpError && error.code === ErrorCode.RequestTimeout) return 'it did not answer in time'
  if (error instanceof McpError && error.code === ErrorCode.ConnectionClosed) return 'it closed the connection'
  if (error instanceof McpError) return messageWithoutCode(error)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const message = error instanceof Error ? error.message : String(error)
  return message === 'fetch failed' && cause !== '' ? `it cannot be reached: ${cause}` : message
}

/** Without the error code that the SDK prepends. */
export const messageWithoutCode = ({ message }: McpError): string => message.replace(/^(?:MCP error -?\d+: )+/, '')

function ofHttp(code: number | undefined, message: string): string {
  if (code === undefined || code < 100) return message
  if (code === 401 || code === 403) return `it answers ${code}: check the headers of this tool`
  if (code === 404) return 'it answers 404: check the url of this tool, and whether it is http or sse'
  return `it answers ${code}: ${message.slice(0, 300)}`
}

/** Errors outside of calls after which no call will be answered. */
export const endsConnection = (error: Error): boolean =>
  error instanceof SseError ||
  error instanceof MessageTooLarge ||
  error.message.includes('Maximum reconnection attempts')
