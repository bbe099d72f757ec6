// A record over time and as curves of two states, with the learned system along it.

const startMotion = (section) => {
  const { time, states, runs } = numbers.motion;
  let run = runs[0];

  // The samples of a state without noise, where they are known.
  const cleaned = (state) => run.cleaned?.[state];
  const inWords = (own) => `the record as dots, ${own ? "the record without its noise as a green line, the learned system as a blue line" : "the learned system as a line"}`;
  const ofSystem = () => (run.followed.length > 0 ? [["line", "system"]] : []);
  const entries = (own) => (own ? [["sample", "record"], ["cleaned", "without noise"], ...ofSystem()] : []);

  // One state over time.
  const overTime = (state) => (width) => {
    const [low, high] = range(run.recorded[state]);
    const room = 0.12 * (high - low);
    const limits = [low - room, high + room];
    const axes = { x: { name: time, range: range(run.times, 0.01) }, y: { name: states[state], range: limits } };
    const own = cleaned(state);
    const drawn = frame(width, 220, axes, `${states[state]} over time: ${inWords(own)}`, entries(own));
    if (own) line(drawn, run.times, own, limits, "cleaned");
    for (const one of run.followed) {
      line(drawn, one.times, one.states[state], limits);
      const at = drawn.across(one.times[0]);
      drawn.svg.append(shape("line", { class: "mark", x1: at, x2: at, y1: drawn.top, y2: drawn.floor }));
    }
    dots(drawn, run.times, run.recorded[state]);
    return drawn.svg;
  };
  // Two states against each other.
  const phase = (a, b) => (width) => {
    const axes = { x: { name: states[a], range: range(run.recorded[a]) }, y: { name: states[b], range: range(run.recorded[b]) } };
    const own = cleaned(a) && cleaned(b);
    const drawn = frame(width, 300, axes, `${states[b]} against ${states[a]}: ${inWords(own)}`, entries(own));
    if (own) line(drawn, cleaned(a), cleaned(b), axes.y.range, "cleaned");
    for (const one of run.followed) {
      const within = (value, [low, high]) => value >= low && value <= high;
      const inside = one.times.map((_, k) => within(one.states[a][k], axes.x.range) && within(one.states[b][k], axes.y.range));
      const end = inside.indexOf(false) < 0 ? inside.length : inside.indexOf(false);
      line(drawn, one.states[a].slice(0, end), one.states[b].slice(0, end), axes.y.range);
    }
    dots(drawn, run.recorded[a], run.recorded[b]);
    return drawn.svg;
  };
  const columns = () => [
    [time, run.times],
    ...states.map((name, state) => [name, run.recorded[state]]),
    ...states.map((name, state) => [`${name} without noise`, cleaned(state)]).filter(([, values]) => values),
    [`${time} of the model`, run.followed.flatMap((one) => one.times)],
    ...states.map((name, state) => [`${name} of the model`, run.followed.flatMap((one) => one.states[state])]),
  ];

  const all = states.map((name, state) => figure(`${name}-over-time`, overTime(state), columns, `${name} over ${time}`));
  const pairs = states.flatMap((_, a) => states.slice(a + 1).map((_, k) => [a, a + 1 + k])).slice(0, 3);
  for (const [a, b] of pairs) all.push(figure(`${states[b]}-against-${states[a]}`, phase(a, b), columns, `${states[b]} against ${states[a]}`));
  section.querySelector("[data-motion]").append(...all.map((one) => one.made));
  for (const one of all) one.again();

  section.querySelector("[data-runs]")?.addEventListener("change", (event) => {
    run = runs[+event.target.value];
    section.querySelector("[data-shown]").textContent = run.shown;
    for (const one of all) one.again();
  });
};
