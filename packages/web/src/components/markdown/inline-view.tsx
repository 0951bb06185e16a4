import { createContext, type ReactNode, use } from 'react'
import type { Inline } from './inline.ts'

/** Renders plain text within Markdown. `null` shows it unchanged. */
export const TextRendererContext = createContext<((text: string) => ReactNode) | null>(null)

/** Links send no referrer and always show their host. */
export function InlineView({ parts }: { readonly parts: readonly Inline[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a finished sentence have no other identity
  return parts.map((part, index) => <InlinePart key={index} part={part} />)
}

function InlinePart({ part }: { readonly part: Inline }) {
  switch (part.type) {
    case 'text':
      return <PlainText text={part.text} />
    case 'code':
      return <code>{part.text}</code>
    case 'strong':
      return (
        <strong>
          <InlineView parts={part.children} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <InlineView parts={part.children} />
        </em>
      )
    case 'del':
      return (
        <del>
          <InlineView parts={part.children} />
        </del>
      )
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          {/* Isolated direction: right-to-left text cannot move the host. */}
          <bdi>
            <InlineView parts={part.children} />
          </bdi>
          {!showsItsHost(part.children, part.host) && <small> ({part.host})</small>}
        </a>
      )
    case 'image':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          Image not loaded: <bdi>{part.alt || part.href}</bdi>
          <small> ({part.host})</small>
        </a>
      )
  }
}

function PlainText({ text }: { readonly text: string }) {
  return use(TextRendererContext)?.(text) ?? text
}

/**
 * Whether the text is an address with exactly this host as written. A text that only parses to this host (with a user
 * name, other letters, or an extra dot or port) reads as another host.
 */
function showsItsHost(children: readonly Inline[], host: string): boolean {
  const [only] = children
  if (children.length !== 1 || only?.type !== 'text') return false
  const shownHost = /^(?:https?:\/\/)?([^/?#]*)/i.exec(only.text)?.[1] ?? ''
  return shownHost.toLowerCase() === host
}
