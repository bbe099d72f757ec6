"""Writes the same small field in every kind of file: u = sin(x) + t/10, 9 times and 12 points.

Needs NumPy, SciPy, h5py and netCDF4. Run it in this folder's parent.
"""

import h5py
import netCDF4
import numpy as np
from scipy.io import netcdf_file

FOLDER = "fields"
t = 0.25 * np.arange(9)
x = 0.5 * np.arange(12)
u = np.sin(x)[None, :] + t[:, None] / 10
with_hole = u.copy()
with_hole[4, 5] = np.nan

np.savez(f"{FOLDER}/plain.npz", t=t, x=x, u=u)
np.savez_compressed(f"{FOLDER}/turned.npz", t=t[:, None], x=x, u=np.asfortranarray(u.T))
np.savez(f"{FOLDER}/complex.npz", t=t, x=x, u=u + 1j)
np.save(f"{FOLDER}/lone.npy", u)

with netcdf_file(f"{FOLDER}/classic.nc", "w") as file:
    file.createDimension("time", len(t))
    file.createDimension("x", len(x))
    for name, values in (("time", t), ("x", x)):
        file.createVariable(name, "d", (name,))[:] = values
    file.variables["time"].units = "s since 2020-01-01 00:00:00"
    file.variables["x"].units = "m"
    file.createVariable("u", "d", ("x", "time"))[:] = u.T

# Packed to 16 bits with a value for what is missing, as weather data are.
with netCDF4.Dataset(f"{FOLDER}/packed.nc", "w") as file:
    file.createDimension("t", len(t))
    file.createDimension("x", len(x))
    file.createVariable("t", "f4", ("t",))[:] = t
    file.createVariable("x", "f8", ("x",))[:] = x
    packed = file.createVariable("u", "i2", ("t", "x"), fill_value=-32768, zlib=True)
    packed.scale_factor, packed.add_offset = 1e-4, 0.5
    packed[:] = np.ma.masked_invalid(with_hole)

with h5py.File(f"{FOLDER}/plain.h5", "w") as file:
    file["t"], file["x"] = t, x
    file.create_dataset("u", data=u[:, None, :], chunks=(3, 1, 4), compression="gzip")

with open(f"{FOLDER}/long.csv", "w") as file:
    file.write("x (m),t (s),u\n")
    for j in range(len(x)):
        for i in range(len(t)):
            value = "" if (i, j) == (4, 5) else repr(float(u[i, j]))
            file.write(f"{float(x[j])!r},{float(t[i])!r},{value}\n")

# Fields that are none: an axis of another length, and times that fall.
np.savez(f"{FOLDER}/short.npz", t=t, x=x[:-1], u=u)
np.savez(f"{FOLDER}/falling.npz", t=t[::-1], x=x, u=u)
