"""Writes a viscous Burgers field, u_t = -u u_x + 0.1 u_xx, with 1 % of noise: burgers.npz.

By spectral derivatives and the classical Runge-Kutta method. Needs NumPy. Run it in this folder's
parent.
"""

import numpy as np

NU, LENGTH, N, STEP, TIMES = 0.1, 2 * np.pi, 64, 0.0005, 61
x = LENGTH * np.arange(N) / N
k = 1j * np.fft.fftfreq(N, 1 / N)


def slope(u):
    w = np.fft.fft(u)
    square = np.fft.fft(u * u)
    square[np.abs(k) > N / 3] = 0
    return np.fft.ifft(NU * k * k * w - 0.5 * k * square).real


u = np.sin(x) + 0.5 * np.cos(2 * x + 0.3) + 0.2
t, rows = 0.05 * np.arange(TIMES), []
for _ in t:
    rows.append(u)
    for _ in range(round(0.05 / STEP)):
        a = slope(u)
        b = slope(u + STEP / 2 * a)
        c = slope(u + STEP / 2 * b)
        d = slope(u + STEP * c)
        u = u + STEP / 6 * (a + 2 * b + 2 * c + d)
field = np.array(rows)
noise = 0.01 * np.sqrt(np.mean(field**2))
field = field + noise * np.random.default_rng(1).standard_normal(field.shape)
np.savez_compressed("fields/burgers.npz", t=t, x=x, u=field.astype(np.float32))
