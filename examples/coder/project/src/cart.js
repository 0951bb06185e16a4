// A shopping cart: lines of { name, price, quantity }, prices in dollars.

export function addItem(cart, item) {
  const line = cart.find((candidate) => candidate.name === item.name)
  if (!line) return [...cart, { ...item }]
  return cart.map((candidate) =>
    candidate === line ? { ...candidate, quantity: candidate.quantity + item.quantity } : candidate,
  )
}

export function cartTotal(cart) {
  const total = cart.reduce((sum, item) => sum + item.price, 0)
  return roundToCents(total)
}

function roundToCents(amount) {
  return Math.round(amount * 100) / 100
}
