(* Prices are looked up in a list of pairs. *)
let prices = List.init 3000 (fun i -> ("item" ^ string_of_int i, i))

let total n =
  let sum = ref 0 in
  for i = 1 to n do
    sum := !sum + List.assoc ("item" ^ string_of_int (i * 7 mod 3000)) prices (* WASTE *)
  done;
  !sum

let () = print_int (total (int_of_string Sys.argv.(1)))
