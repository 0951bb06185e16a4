import { Check, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMenuPopup } from '../../../components/controls/use-menu-popup.ts'

interface Option<Value> {
  readonly value: Value
  readonly name: string
  /** A short explanation. */
  readonly about: string
}

interface ChoiceMenuProps<Value> {
  readonly label: string
  /** The label of the closed menu. */
  readonly text: string
  readonly chosen: Value
  readonly options: readonly Option<Value>[]
  readonly onChoose: (value: Value) => void
  readonly disabled?: boolean
  /** Shows a chevron beside the label. Labels like "Change" need none. */
  readonly hasMark?: boolean
  /** Below the options. */
  readonly foot?: ReactNode
}

/** A menu of options with explanations. Opens upwards, because it is at the bottom of a page. */
export function ChoiceMenu<Value extends string | number>(props: ChoiceMenuProps<Value>) {
  const { label, text, chosen, options, onChoose, disabled = false, hasMark = true, foot } = props
  const { box, closeAndFocus } = useMenuPopup()
  return (
    <details className="menu up" {...box}>
      <summary
        className="btn s quiet"
        aria-label={`${label}: ${text}`}
        {...(disabled ? { 'aria-disabled': true, onClick: (event) => event.preventDefault() } : {})}
      >
        {text}
        {hasMark && <ChevronDown className="icon s" aria-hidden="true" />}
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
