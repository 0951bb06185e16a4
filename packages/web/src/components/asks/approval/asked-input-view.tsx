import { type JsonObject, visibleText } from '@quarterdeck/protocol'
import { useState } from 'react'
import { type AskedInput, askedInput } from '../../../stores/asks/asked-input.ts'
import { mcpName, shortPath } from '../../../stores/transcript/tool-call.ts'
import { ChangeCount } from '../../content/change-count.tsx'
import { DiffView } from '../../content/diff-view.tsx'
import { Button } from '../../controls/button.tsx'

interface AskedInputViewProps {
  readonly toolName: string
  readonly input: JsonObject
  readonly folder: string
}

/** Shows the exact input in full. A button switches to the raw JSON. */
export function AskedInputView({ toolName, input, folder }: AskedInputViewProps) {
  const [isRaw, setRaw] = useState(false)
  const asked = askedInput(toolName, input)
  const mcp = mcpName(toolName)
  const otherInput = 'otherInput' in asked ? asked.otherInput : null
  return (
    <div className="stack">
      <div className="row">
        {mcp === null ? (
          <b>{toolName}</b>
        ) : (
          <span className="mcp-name">
            <b>{visibleText(mcp.tool)}</b> <span className="muted">of MCP server</span> <b>{visibleText(mcp.server)}</b>
          </span>
        )}
        {asked.kind === 'change' && <code>{visibleText(shortPath(asked.change.path, folder))}</code>}
        {asked.kind === 'change' && <ChangeCount added={asked.change.added} removed={asked.change.removed} />}
        {folder !== '' && asked.kind === 'command' && <span className="chip line ellipsis">{folder}</span>}
        <span className="grow" />
        {asked.kind !== 'json' && (
          <Button variant={['s', 'quiet']} aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            Raw JSON
          </Button>
        )}
      </div>
      {isRaw || asked.kind === 'json' ? (
        <div className="input">{visibleText(JSON.stringify(input, null, 2))}</div>
      ) : asked.kind === 'arguments' ? (
        <Arguments rows={asked.rows} />
      ) : asked.kind === 'command' ? (
        <div className="input">{visibleText(asked.command)}</div>
      ) : (
        asked.change.diffs.map((diff, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the edits of one call keep their order
          <DiffView key={index} lines={diff.lines} />
        ))
      )}
      {otherInput !== null && !isRaw && (
        <div className="input">
          <span className="muted">also: </span>
          {visibleText(JSON.stringify(otherInput))}
        </div>
      )}
    </div>
  )
}

function Arguments({ rows }: { readonly rows: Extract<AskedInput, { kind: 'arguments' }>['rows'] }) {
  if (rows.length === 0) return <div className="input muted">No arguments</div>
  return (
    <table className="input" aria-label="Arguments">
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{visibleText(name)}</th>
            <td>{visibleText(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
