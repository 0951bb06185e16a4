import { Check, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMenuPopup } from '../../../components/controls/use-menu-popup.ts'

export interface MenuChoice<Value> {
  readonly value: Value
  readonly name: string
  /** A short explanation. */
  readonly about: string
}

interface ChoiceMenuProps<Value> {
  readonly label: string
  /** The text of the closed menu. Default: the chosen option with a chevron. */
  readonly text?: string
  readonly chosen: Value
  readonly options: readonly MenuChoice<Value>[]
  readonly onChoose: (value: Value) => void
  readonly disabled?: boolean
  /** Below the options. */
  readonly foot?: ReactNode
}

/** A menu of options with explanations. Opens upwards, because it is at the bottom of a page. */
export function ChoiceMenu<Value extends string | number>(props: ChoiceMenuProps<Value>) {
  const { label, chosen, options, onChoose, disabled = false, foot } = props
  const text = props.text ?? options.find(({ value }) => value === chosen)?.name
  const { box, closeAndFocus } = useMenuPopup()
  return (
    <details className="menu up" {...box}>
      <summary
        className="btn s quiet"
        aria-label={`${label}: ${text}`}
        {...(disabled ? { 'aria-disabled': true, onClick: (event) => event.preventDefault() } : {})}
      >
        {text}
        {props.text === undefined && <ChevronDown className="icon s" aria-hidden="true" />}
      </summary>
      <div className="overlay">
        {options.map(({ value, name, about }) => (
          <button
            type="button"
            key={value}
            aria-pressed={value === chosen}
            onClick={() => {
              closeAndFocus()
              onChoose(value)
            }}
          >
            <span className="row">
              <b className="grow">{name}</b>
              {value === chosen && <Check className="icon s" aria-hidden="true" />}
            </span>
            <small>{about}</small>
          </button>
        ))}
        {foot}
      </div>
    </details>
  )
}
