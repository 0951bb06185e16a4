import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addItem, cartTotal } from '../src/cart.js'

test('an empty cart costs nothing', () => {
  assert.equal(cartTotal([]), 0)
})

test('adding an item twice raises its quantity', () => {
  const pears = { name: 'pear', price: 0.6, quantity: 1 }
  assert.deepEqual(addItem(addItem([], pears), pears), [{ name: 'pear', price: 0.6, quantity: 2 }])
})

test('the total counts every piece of an item', () => {
  const cart = [
    { name: 'pear', price: 0.6, quantity: 3 },
    { name: 'bread', price: 2.4, quantity: 1 },
  ]
  assert.equal(cartTotal(cart), 4.2)
})
