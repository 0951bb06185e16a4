// Behaves like the front end of the NetBox assistant: written from its known behaviour, not from our server.
import { WebSocket } from 'ws'

interface ShownMessage {
  readonly role: 'user' | 'assistant' | 'tool' | 'error'
  text: string
}

export interface FrontEndOptions {
  readonly url: string
  /** The Origin of its page. */
  readonly origin: string
  /** The model of the last visit, from local storage. */
  readonly selectedModel: string
  /** Two seconds in the real front end. */
  readonly reconnectMs: number
}

const mostReconnects = 5

export function openFrontEnd({ url, origin, selectedModel, reconnectMs }: FrontEndOptions) {
  const messages: ShownMessage[] = []
  const state = { isConnected: false, isStreaming: false, model: selectedModel, reconnects: 0, greetings: 0 }
  /** Local storage; `state.model` is the displayed model. */
  let selected = selectedModel
  let socket: WebSocket

  function connect(): void {
    socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/chat`, { origin })
    socket.on('open', () => {
      state.isConnected = true
      state.reconnects = 0
      if (selected !== 'auto') setTimeout(() => send({ type: 'model_change', model: selected }), 100)
    })
    socket.on('message', (data) => show(JSON.parse(String(data))))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      state.isConnected = false
      if (state.reconnects >= mostReconnects) return
      state.reconnects += 1
      setTimeout(connect, reconnectMs)
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: the front end is JavaScript and does not validate chunks
  function show(chunk: any): void {
    const { type, content, completed, metadata } = chunk
    if (type === 'connected') state.greetings += 1
    if (type === 'connected' || type === 'model_changed') state.model = metadata.model.id || metadata.model.model
    if (type === 'model_changed' || type === 'reset_complete') messages.length = 0
    if (type === 'tool_use') messages.push({ role: 'tool', text: `🔧 Using Netbox tool: ${content}` })
    if (type === 'error') messages.push({ role: 'error', text: content })
    if (type === 'text' && content !== '') {
      const last = messages.at(-1)
      if (last?.role === 'assistant') last.text += content
      else messages.push({ role: 'assistant', text: content })
    }
    if (completed) state.isStreaming = false
  }

  const send = (frame: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
  }

  connect()
  return {
    messages,
    state,
    ask(message: string) {
      messages.push({ role: 'user', text: message })
      state.isStreaming = true
      send({ message })
    },
    reset: () => send({ type: 'reset' }),
    switchTo(model: string) {
      selected = model
      send({ type: 'model_change', model })
    },
    /** Drops the connection as a network failure does. */
    drop: () => socket.terminate(),
    leave() {
      state.reconnects = mostReconnects
      socket.terminate()
    },
  }
}
