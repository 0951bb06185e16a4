import { Check, ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMenuPopup } from '../../../components/controls/use-menu-popup.ts'

interface Option<Value> {
  readonly value: Value
  readonly name: string
  /** One line of what it means. */
  readonly about: string
}

interface ChoiceMenuProps<Value> {
  readonly label: string
  /** What the closed menu shows. */
  readonly words: string
  readonly chosen: Value
  readonly options: readonly Option<Value>[]
  readonly onChoose: (value: Value) => void
  readonly disabled?: boolean
  /** A mark beside the words that they open something; words like "Change" say it themselves. */
  readonly hasMark?: boolean
  /** Below the options. */
  readonly foot?: ReactNode
}

/** One of several, each with a line about it. Opens upwards: it lives at the foot of a page. */
export function ChoiceMenu<Value extends string | number>(props: ChoiceMenuProps<Value>) {
  const { label, words, chosen, options, onChoose, disabled = false, hasMark = true, foot } = props
  const { box, leave } = useMenuPopup()
  return (
    <details className="menu up" {...box}>
      <summary
        className="btn s quiet"
        aria-label={`${label}: ${words}`}
        {...(disabled ? { 'aria-disabled': true, onClick: (event) => event.preventDefault() } : {})}
      >
        {words}
        {hasMark && <ChevronDown className="icon s" aria-hidden="true" />}
      </summary>
      <div className="overlay">
        {options.map(({ value, name, about }) => (
          <button
            type="button"
            key={value}
            aria-pressed={value === chosen}
            onClick={() => {
              leave()
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
