import { textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

// The lookarounds start a match only at the beginning of a run of digits. This keeps the time linear.
const sumPattern =
  /(-?(?<!\d)\d+(?!\d)(?:\.\d+(?!\d))?)\s*(\+|-|\*|x|×|\/|÷|plus|minus|times|divided by)\s*(-?\d+(?:\.\d+)?)/i

/** One operation on two numbers; anything longer is left to a model. */
export const arithmetic: DemoRule = {
  name: 'arithmetic',
  reply({ prompt }) {
    const found = sumPattern.exec(prompt)
    if (!found || !/\b(?:what|how much|calculate|compute)\b|^[\s\d.+*/x×÷=?-]+$/i.test(prompt)) return null
    if (/^\s*[-+*/x×÷\d]/.test(prompt.slice(found.index + found[0].length))) return null
    const value = calculate(Number(found[1]), (found[2] ?? '').toLowerCase(), Number(found[3]))
    if (!Number.isFinite(value)) return textReply('That has no answer: it divides by zero.')
    return textReply(`${found[0].trim()} = ${Number(value.toPrecision(12))}`)
  },
}

function calculate(left: number, sign: string, right: number): number {
  switch (sign) {
    case '+':
    case 'plus':
      return left + right
    case '-':
    case 'minus':
      return left - right
    case '/':
    case '÷':
    case 'divided by':
      return left / right
    default:
      return left * right
  }
}
