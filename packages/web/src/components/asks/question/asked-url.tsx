import { visibleText } from '@quarterdeck/protocol'
import { ExternalLink, TriangleAlert } from 'lucide-react'

interface AskedUrlProps {
  readonly url: string
  readonly server: string | null
}

/** A URL from an untrusted MCP server: shown in full, with its real host. The page never opens it by itself. */
export function AskedUrl({ url, server }: AskedUrlProps) {
  const address = webAddress(url)
  return (
    <div className="stack">
      <p>
        <TriangleAlert className="icon s" aria-hidden="true" /> {server === null ? 'It' : visibleText(server)} asks you
        to open this address. Check it first:
      </p>
      <div className="input">{visibleText(url)}</div>
      {address === null ? (
        <p className="muted">This is not a web address and cannot be opened from here.</p>
      ) : (
        <p>
          <a className="link" href={address.href} target="_blank" rel="noopener noreferrer">
            <ExternalLink className="icon s" aria-hidden="true" /> Open {address.host} in a new tab
          </a>
        </p>
      )}
    </div>
  )
}

function webAddress(url: string): URL | null {
  if (!URL.canParse(url)) return null
  const address = new URL(url)
  return address.protocol === 'https:' || address.protocol === 'http:' ? address : null
}
