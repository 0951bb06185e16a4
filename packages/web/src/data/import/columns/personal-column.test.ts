import { describe, expect, it } from 'vitest'
import { isCardNumber, personalColumns } from './personal-column.ts'

const reasonOf = (sourceName: string, ...values: readonly string[]) => personalColumns([{ sourceName, values }])[0]

describe('personalColumns', () => {
  it.each([
    ['recipientEmail', ['a@example.org', 'b@example.org'], 'e-mail addresses'],
    ['contact', ['a@example.org', '', 'b@example.org'], 'e-mail addresses'],
    ['E-Mail', [], 'e-mail addresses'],
    ['Phone', ['030 1234567', '0171/7654321'], 'phone numbers'],
    ['mobile_no', ['1715551234'], 'phone numbers'],
    ['x', ['+49 30 1234567', '+1 (555) 010-0199', '+33 1 23 45 67 89'], 'phone numbers'],
    ['first_name', ['Ann', 'Bob'], 'names of people'],
    ['CustomerName', ['Ann Lee'], 'names of people'],
    ['Nachname', ['Müller'], 'names of people'],
    ['billing_address', ['1 Main St', '22 High Road'], 'postal addresses'],
    ['Street', ['Hauptstraße 5'], 'postal addresses'],
    ['card_number', ['4111 1111 1111 1111', '5500-0000-0000-0004'], 'card numbers'],
    [
      'ref',
      ['4111111111111111', '5500000000000004', '340000000000009', '30000000000004', '6011000000000004'],
      'card numbers',
    ],
    ['IBAN', ['DE89 3704 0044 0532 0130 00'], 'card numbers'],
    ['SSN', ['123-45-6789'], 'social security'],
    ['code', ['123-45-6789', '219-09-9999', '457-55-5462'], 'social security'],
  ] as const)('finds %s %j', (name, values, words) => {
    expect(reasonOf(name, ...values)).toContain(words)
  })

  it.each([
    ['product_name', ['Lamp', 'Chair']],
    ['filename', ['a.csv', 'b.csv']],
    ['country_name', ['New Zealand', 'Costa Rica']],
    ['company name', ['Acme Ltd']],
    ['name', ['Ann Lee', 'Bob Ray']],
    ['customer_id', ['4917155512', '4917155513']],
    ['id', ['1715551234', '1715551235', '1715551236']],
    ['order_no', ['1000000000001', '1000000000002', '1000000000003', '1000000000004', '1000000000005']],
    ['phone_model', ['Nova 3', 'Pixel']],
    ['email_count', ['3', '5']],
    ['emails_opened', ['true', 'false']],
    ['ip_address', ['10.0.0.1', '10.0.0.2']],
    ['wallet address', ['0xabc def']],
    ['address_id', ['5', '6']],
    ['tel_aviv', ['5', '6']],
    ['date', ['2024-01-05', '2024-01-06', '2024-01-07']],
    ['card_type', ['Visa', 'Amex']],
    ['mobile_share', ['0.5', '0.6']],
    ['user_name_length', ['5', '6']],
    ['cell', ['A1', 'B2']],
  ])('ignores %s %j', (name, values) => {
    expect(reasonOf(name, ...values)).toBeNull()
  })

  it('treats a column "Name" as names of people only next to another personal column', () => {
    const name = { sourceName: 'Name', values: ['Ann Lee', "Bo O'Neil", 'Cid de Vries'] }
    const email = { sourceName: 'email', values: ['a@example.org'] }
    expect(personalColumns([name, email])).toEqual(['looks like names of people', 'looks like e-mail addresses'])
    expect(personalColumns([name, { sourceName: 'price', values: ['3'] }])).toEqual([null, null])
    expect(personalColumns([{ ...name, values: ['Lamp', 'Chair'] }, email])[0]).toBeNull()
  })

  it('recognizes card numbers by their check digit', () => {
    expect(isCardNumber('4111111111111111')).toBe(true)
    expect(isCardNumber('4111111111111112')).toBe(false)
    expect(isCardNumber('0000000000000000')).toBe(false)
  })
})
