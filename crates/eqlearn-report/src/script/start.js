document.querySelectorAll(".motion").forEach(startMotion);
document.querySelectorAll(".board").forEach(startBoard);
