(* A queue grows at its end. *)
let rec fill queue i n =
  if i = n then queue
  else fill (queue @ [ string_of_int i ]) (i + 1) n (* WASTE *)

let () = print_int (List.length (fill [] 0 (int_of_string Sys.argv.(1))))
